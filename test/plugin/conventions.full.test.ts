import { afterEach, describe, expect, test } from 'vitest'
import type { Options } from '../../src/options/options.ts'
import { configOf, openSource, pluginOf, vites } from './world.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

describe.each(vites)('with %s', (_version, load) => {
  test.each<[string, string, Options, boolean]>([
    ['no engine', '{}', {}, false],
    ['Phaser', '{"dependencies":{"phaser":"^4.0.0"}}', {}, false],
    ['PixiJS', '{"dependencies":{"pixi.js":"^8.0.0"}}', {}, true],
    ['PixiJS for development', '{"devDependencies":{"pixi.js":"^8.0.0"}}', {}, true],
    ['both engines', '{"dependencies":{"phaser":"^4.0.0","pixi.js":"^8.0.0"}}', {}, true],
    ['PixiJS by an option', '{}', { engine: 'pixi' }, true],
    ['a broken package.json', '{', {}, false],
  ])('only a project with PixiJS gets its pixi.js alone: %s', async (_what, text, options, isDeduped) => {
    const { resolveConfig } = await load()
    const game = await openSource({ 'package.json': text })
    open.push({ close: () => game.remove() })
    const config = configOf(game, pluginOf(game, { options }), { resolve: { dedupe: ['other'] } })
    const { resolve } = await resolveConfig(config, 'serve')
    expect([...resolve.dedupe].sort()).toEqual(isDeduped ? ['other', 'pixi.js'] : ['other'])
  })
})
