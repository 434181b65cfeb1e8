import { expect, test } from 'vitest'
import { ownAnimations } from '../../src/project/wanted.ts'
import type { SpriteSpec } from '../../src/sprite-spec/spec.ts'

const spec = (name: string, kind: string, more: object = {}): SpriteSpec =>
  ({ name, file: `/game/${name}.sprite.json`, reference: { kind }, animations: [{ name: 'walk' }, { name: 'idle' }], ...more }) as never

test('own art has its animations; the files of all art and all palettes are watched, those of bought sprites too', () => {
  const ownFiles = new Set<string>()
  const specs = [
    spec('coin', 'own', { art: { files: ['/game/coin.aseprite', '/game/coin.json'] } }),
    spec('hero', 'file', { paletteFile: { path: '/game/hero.gpl' } }),
    spec('gem', 'own', { art: { files: ['/game/gem.png'] }, paletteFile: { path: '/game/gem.hex' } }),
  ]
  const isWanted = (sprite: string, animation: string): boolean => sprite === 'coin' || animation === 'idle'
  const own = ownAnimations({ ownFiles } as Parameters<typeof ownAnimations>[0], specs, isWanted)
  expect(own).toEqual([
    { id: 'coin.walk', spec: specs[0], animation: { name: 'walk' } },
    { id: 'coin.idle', spec: specs[0], animation: { name: 'idle' } },
    { id: 'gem.idle', spec: specs[2], animation: { name: 'idle' } },
  ])
  expect([...ownFiles]).toEqual(['coin.aseprite', 'coin.json', 'hero.gpl', 'gem.png', 'gem.hex'].map((file) => `/game/${file}`))
})
