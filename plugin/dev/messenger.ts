import { createHash } from 'node:crypto'
import type { ViteDevServer } from 'vite'
import { filesOf } from '../../src/errors.ts'
import { toOneLine } from '../../src/host/terminal.ts'
import type { BuiltSheets, Preview, SpritewrightError } from '../../src/index.ts'
import { toFailure } from '../failure.ts'
import { formatId, spriteId, toSlashes } from '../ids.ts'
import { createLog } from '../log.ts'
import { sheetModule, toSheetData, type UrlOf, withoutAlternates } from '../module.ts'
import type { SheetData, SheetUpdate } from '../runtime/shared/sheet.ts'
import { isSame, type ShownSprite, spritesOf } from './changes.ts'
import { parseLoadedSprites, parseReload } from './hot-messages.ts'

/** Sends pages the changes since the last message. */
export interface Messenger {
  /**
   * Subscribes a page to changes of these sprites, and to new sprites if it imports `virtual:spritewright`.
   */
  note(preview: Preview, names: readonly string[] | 'all'): void
  /**
   * Notes that a page got an error in place of a module. Such a page does not run before it is reloaded.
   */
  pageHasFailed(): void
  /**
   * Sends the changes to pages.
   *
   * @param preview No older than any that was noted.
   */
  send(preview: Preview): void
}

/** One sprite as it is sent to pages. */
interface SentSprite {
  /** Hash of `sheet`, so it changes with everything that a page gets. */
  readonly stamp: string
  readonly shown: ShownSprite
  readonly sheet: SheetData
  /** Its spec, absolute. */
  readonly file: string
}

/**
 * Creates the messenger. It sends updates as one event, and an error as an overlay with its place. When the
 * error is fixed, it sends another event. A page that loads later gets the updates that it has missed.
 */
export function createMessenger(server: ViteDevServer, root: string, urlOf: UrlOf): Messenger {
  const { hot } = server.environments.client
  let sent: ReadonlyMap<string, SentSprite> = new Map()
  let asked: Set<string> | 'all' = new Set()
  /** Names of all existing sprites, sent or not. */
  let there: ReadonlySet<string> = new Set()
  let broken: object | undefined
  let isPageDead = false
  /** Specs that are gone and may still be imported. */
  const lost = new Map<string, string>()
  // An exception in a listener ends the process, so both listeners validate their data.
  hot.on('spritewright:have', (data: unknown, client) => {
    const having = parseLoadedSprites(data)
    if (!having) return
    const { stamps } = having
    const all = having.all && new Set(having.all)
    // An existing sprite that was never sent must not count as gone.
    const known = Object.entries(stamps).filter(([name]) => sent.has(name) || !there.has(name))
    const missed = differences(sent, new Map(known), (name) => all?.has(name) === false)
    if (missed) client.send('spritewright:update', missed)
    if (broken) client.send({ type: 'error', err: broken as never })
  })
  hot.on('spritewright:reload', (data: unknown) => {
    const reload = parseReload(data)
    if (reload) createLog(server.config).warn(`a page says why it reloads: ${toOneLine(reload.why)}`)
  })
  const sentOf = (preview: Preview): Map<string, SentSprite> => {
    there = new Set(preview.specs.map(({ name }) => name))
    return toSent(preview.sheets, sent, urlOf, (name) => asked === 'all' || asked.has(name))
  }
  return {
    note: (preview, names) => {
      if (names === 'all') asked = 'all'
      else if (asked !== 'all') for (const name of names) asked.add(name)
      const isNews = names === 'all' || names.some((name) => !sent.has(name))
      if (isNews) sent = new Map([...sentOf(preview), ...sent])
    },
    pageHasFailed: () => {
      isPageDead = true
    },
    send: (preview) => {
      const before = sent
      sent = withBroken(sentOf(preview), before, preview.errors)
      for (const [name, { file }] of before) if (!sent.has(name)) lost.set(name, file)
      for (const name of sent.keys()) lost.delete(name)
      const failure = failureOf(preview.errors) ?? lostImport(server, root, lost)
      if (failure) hot.send({ type: 'error', err: failure as never })
      else if (isPageDead) hot.send({ type: 'full-reload' })
      else if (broken) hot.send('spritewright:mended', {})
      broken = failure
      isPageDead &&= failure !== undefined
      const known = new Map([...before].map(([name, { stamp }]) => [name, stamp] as const))
      const update = differences(sent, known, () => true)
      if (update) hot.send('spritewright:update', update)
    },
  }
}

/**
 * Converts sheets to the form that is sent to pages.
 *
 * @param before The sprites that were sent before. An unchanged one is used again.
 */
function toSent(
  sheets: BuiltSheets,
  before: ReadonlyMap<string, SentSprite>,
  urlOf: UrlOf,
  isAsked: (name: string) => boolean,
): Map<string, SentSprite> {
  const all = [...spritesOf(sheets)].flatMap(([name, shown]) => {
    if (!isAsked(name)) return []
    const known = before.get(name)
    if (known && isSame(known.shown, shown)) return [[name, known] as const]
    const sheet = toShownSheet(shown, urlOf)
    return [[name, { shown, sheet, stamp: stampOf(sheet), file: shown.sprite.file }] as const]
  })
  return new Map(all)
}

/** The sheet of one sprite. */
function toShownSheet({ sprite, atlases }: ShownSprite, urlOf: UrlOf): SheetData {
  return toSheetData(atlases.map(withoutAlternates), [sprite], urlOf)
}

/** A stamp distinguishes one state of a sprite from another. */
function stampOf(sheet: SheetData): string {
  return createHash('sha256').update(JSON.stringify(sheet)).digest('base64url').slice(0, 16)
}

/** The module of the sheet of one sprite. It keeps itself up to date. */
export function shownModule(shown: ShownSprite, urlOf: UrlOf): string {
  const sheet = toShownSheet(shown, urlOf)
  return sheetModule(sheet, { [shown.sprite.name]: stampOf(sheet) })
}

/** Keeps sprites whose spec is broken. Such a sprite is not gone: a page continues to show its last state. */
function withBroken(
  now: Map<string, SentSprite>,
  before: ReadonlyMap<string, SentSprite>,
  errors: readonly SpritewrightError[],
): Map<string, SentSprite> {
  const files = new Set(errors.flatMap(filesOf).map(toSlashes))
  for (const [name, sprite] of before) if (!now.has(name) && files.has(toSlashes(sprite.file))) now.set(name, sprite)
  return now
}

/**
 * The update for a page that knows sprites by these stamps. Returns `undefined` if there is nothing new.
 *
 * @param isWanted Whether a sprite that the page does not know is sent.
 */
function differences(
  now: ReadonlyMap<string, SentSprite>,
  known: ReadonlyMap<string, string>,
  isWanted: (name: string) => boolean,
): SheetUpdate | undefined {
  const isNews = (name: string, { stamp }: SentSprite): boolean => (known.has(name) ? known.get(name) !== stamp : isWanted(name))
  const sheets = [...now].flatMap(([name, sprite]) => (isNews(name, sprite) ? [sprite.sheet] : []))
  const gone = [...known.keys()].filter((name) => !now.has(name))
  if (sheets.length === 0 && gone.length === 0) return undefined
  return { sheets, ...(gone.length > 0 ? { gone } : {}) }
}

function failureOf([first]: readonly SpritewrightError[]): object | undefined {
  return first && { ...toFailure(first), stack: '', plugin: 'spritewright' }
}

/** Finds a module that imports a spec which is gone, and returns the error for it. */
function lostImport(server: ViteDevServer, root: string, lost: ReadonlyMap<string, string>): object | undefined {
  const { moduleGraph } = server.environments.client
  for (const file of lost.values()) {
    const id = spriteId(root, file)
    const importers = [...(moduleGraph.getModuleById(formatId(id))?.importers ?? [])].flatMap((module) => module.file ?? [])
    const importer = importers.find((other) => !other.startsWith('\0'))
    if (importer === undefined) continue
    const shown = id.kind === 'sprite' ? id.file : file
    const message = `${importer.slice(toSlashes(root).length + 1)} imports ${shown}, which is not there any more. Put the spec back, or take the import out.`
    return { message, stack: '', id: importer, plugin: 'spritewright' }
  }
  return undefined
}
