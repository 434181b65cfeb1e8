import { sheetSpecifier } from '../ids.ts'

/**
 * The code of the link to the dev server. It declares the page hot, passes updates on, and keeps the sprites
 * of the page's modules up to date. It finds the bus of `runtime/shared/hot.ts` by its symbol, because Vite
 * may have bundled that file beforehand. The page sends the server a stamp of each loaded sprite. So the page
 * misses no change that happened before it listened. The code removes only error overlays of this plugin.
 */
export function hotModule(): string {
  return `import { readSheet } from ${JSON.stringify(sheetSpecifier)}
const bus = (globalThis[Symbol.for('spritewright.updates')] ??= { listeners: new Set(), isHot: false })
const modules = new Map()
let has
export function keepUpToDate(sprites, stamps) {
  for (const sprite of sprites) modules.set(sprite.name, [...(modules.get(sprite.name) ?? []), sprite])
  announce(stamps)
}
export function keepAll(sprites) {
  announce({}, Object.keys(sprites))
  bus.listeners.add(({ sprites: changed, gone = [] }) => {
    for (const name of gone) delete sprites[name]
    for (const sprite of changed) {
      if (!modules.has(sprite.name)) modules.set(sprite.name, [sprite])
      sprites[sprite.name] = modules.get(sprite.name)[0]
    }
    const sorted = Object.entries(sprites).sort(([a], [b]) => (a < b ? -1 : 1))
    for (const [name, sprite] of sorted) { delete sprites[name]; sprites[name] = sprite }
  })
}
function announce(stamps, all) {
  if (!import.meta.hot || typeof document === 'undefined') return
  if (!has) queueMicrotask(() => { import.meta.hot.send('spritewright:have', has); has = undefined })
  has = { stamps: { ...has?.stamps, ...stamps }, all: all ?? has?.all }
}
function become(sprite, fresh) {
  if (sprite === fresh) return
  const { variants } = sprite
  for (const key of Object.keys(sprite)) if (!Object.hasOwn(fresh, key)) delete sprite[key]
  Object.assign(sprite, fresh, { variants: { ...fresh.variants } })
  for (const name of Object.keys(variants)) if (Object.hasOwn(fresh.variants, name)) become(sprite.variants[name] = variants[name], fresh.variants[name])
}
if (import.meta.hot && typeof document !== 'undefined') {
  bus.isHot = true
  bus.reload = (why) => { import.meta.hot.send('spritewright:reload', { why }); location.reload() }
  import.meta.hot.on('spritewright:update', ({ sheets, ...more }) => {
    const update = { sprites: sheets.flatMap(readSheet), ...more }
    for (const fresh of update.sprites) for (const sprite of modules.get(fresh.name) ?? []) become(sprite, fresh)
    for (const listener of [...bus.listeners]) listener(update)
  })
  import.meta.hot.on('spritewright:mended', () => {
    for (const overlay of document.querySelectorAll('vite-error-overlay')) if (overlay.shadowRoot?.textContent.includes('[plugin:spritewright]')) overlay.remove()
  })
}
`
}
