import { expect, test } from 'vitest'
import { findSprite, toBundling } from '../../plugin/build/bundling.ts'
import { startBuild } from '../../plugin/bundle.ts'
import type { PluginSession } from '../../plugin/session.ts'
import type { BuiltSheets } from '../../src/index.ts'

const sheets = { sprites: [{ name: 'hero', file: 'sprites/hero.sprite.json' }], atlases: [] } as unknown as BuiltSheets

test('an imported file that is no spec of the project is named in the error', () => {
  expect(findSprite(sheets, 'sprites/hero.sprite.json').name).toBe('hero')
  expect(() => findSprite(sheets, 'drafts/fox.sprite.json')).toThrow(
    expect.objectContaining({ code: 'SW_SPEC', facts: { file: 'drafts/fox.sprite.json' } }),
  )
})

/** Files that a build under `--watch` watches. */
async function watched(own: Partial<PluginSession>): Promise<string[]> {
  const files: string[] = []
  const context = {
    meta: { watchMode: true },
    addWatchFile: (file: string) => void files.push(file),
    error: () => {
      throw new Error('no sheets')
    },
  }
  const surroundings = { isBuild: true, root: '/game', outDir: '/game/dist' }
  const session = { surroundings, enter: () => {}, renew: () => {}, ...own } as unknown as PluginSession
  await startBuild(context as unknown as Parameters<typeof startBuild>[0], session).catch(() => {})
  return files
}

test('a watched build watches specs, their pictures, their touched-up frames and the lock file, also if the sheets cannot be made', async () => {
  const frames = ['/game/sprites/hero.frames', '/game/sprites/hero.frames/walk/0003.png']
  const made = {
    atlases: [],
    sprites: [
      { name: 'hero', file: '/game/sprites/hero.sprite.json', picture: '/game/sprites/hero.png', overridePaths: frames },
      { name: 'coin', file: '/game/items/coin.sprite.yaml' },
    ],
  } as unknown as BuiltSheets
  const files = ['/game/sprites/hero.sprite.json', '/game/sprites/hero.png', ...frames, '/game/items/coin.sprite.yaml']
  const places = ['/game/sprites', '/game/items', '/game/sprites.lock.json', '/game/sprites.lock']
  const bundling = toBundling(made, '/game', { engine: 'pixi', notes: [] } as unknown as Parameters<typeof toBundling>[2])
  expect(await watched({ bundling: async () => bundling })).toEqual([...files, ...places])
  const failing = {
    bundling: () => Promise.reject(new Error('no sheets')),
    workshop: async () => ({ preview: async () => ({ sheets: made, errors: [{ facts: { file: '/game/drafts/fox.sprite.json' } }] }) }),
  } as unknown as Partial<PluginSession>
  expect((await watched(failing)).sort()).toEqual([...files, ...places, '/game/drafts', '/game/drafts/fox.sprite.json'].sort())
})
