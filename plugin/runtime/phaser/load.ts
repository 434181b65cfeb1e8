import type Phaser from 'phaser'
import type { AtlasData } from '../shared/data.ts'
import { toTextures } from './data.ts'
import type { LiveTexture } from './live.ts'
import { mirrorFrames, toPicture } from './mirrored.ts'

/** The loads under way of each game, by the key of the atlas: its texture, then its other pages. */
const underWay = new WeakMap<object, Map<string, readonly Promise<unknown>[]>>()

/**
 * Queues an atlas in a scene's loader, as one file for each page. The loader is complete when the texture is
 * there, or when a page has failed.
 *
 * Scenes share a load under way. It belongs to the game, so it goes on if a scene ends. The texture is made
 * of all pages at once, so a failed load leaves nothing, and the next one is whole.
 *
 * @param onMade Is called when the texture is there, before the loader is complete.
 */
export function queueAtlas({ load: loader, sys }: Phaser.Scene, atlas: AtlasData, onMade: () => void): void {
  let load: readonly Promise<unknown>[] | undefined
  for (const index of atlas.pages.keys()) {
    const file = makeFile(loader, atlas, index)
    const wait = {
      loader,
      type: 'atlasjson',
      cache: false,
      load: () => {
        load ??= share(sys, loader, atlas, onMade)
        const end = (isLoaded: boolean): void => loader.nextFile(file, isLoaded)
        Promise.resolve(load[index]).then(
          () => end(true),
          () => end(false),
        )
      },
      onProcess: () => file.onProcessComplete(),
      addToCache: () => {},
    }
    loader.addFile(Object.assign(file, wait))
  }
}

/** The arguments of Phaser's method after the key: pages, their frames, and their normal maps. Its typings allow one page. */
type AtlasParts = [source: HTMLImageElement, data: object, dataSource?: HTMLImageElement]

/** Joins the load under way, or starts one. */
function share({ game, textures }: Phaser.Scenes.Systems, loader: Phaser.Loader.LoaderPlugin, atlas: AtlasData, onMade: () => void) {
  // Another scene may have loaded it since it was queued.
  if (textures.exists(atlas.key)) return []
  const loads = underWay.get(game) ?? new Map<string, readonly Promise<unknown>[]>()
  underWay.set(game, loads)
  const before = loads.get(atlas.key)
  if (before) return before
  const pages = atlas.pages.map((_, index) => fetchPage(makeFile(loader, atlas, index)))
  const maps = atlas.pages.flatMap(({ normals }, index) => (normals ? [fetchPage(makeFile(loader, atlas, index, normals))] : []))
  const make = ([images, normals]: readonly (readonly unknown[])[]): void => {
    // The game may have ended.
    const pictures = images!.map((image, index) => toPicture(atlas.pages[index]?.url ?? '', image))
    const made =
      textures.game &&
      textures.addAtlasJSONArray(
        atlas.key,
        ...([pictures, toTextures(atlas), normals!.length > 0 ? normals : undefined] as never as AtlasParts),
      )
    if (!made) return
    mirrorFrames(made as unknown as LiveTexture, atlas)
    onMade()
  }
  const texture = Promise.all([Promise.all(pages), Promise.all(maps)])
    .then(make)
    .finally(() => loads.delete(atlas.key))
  const load = [texture, ...pages.slice(1)]
  loads.set(atlas.key, load)
  return load
}

/**
 * Makes the file of a page without queueing it. It has the settings of the loader (XHR, `crossOrigin`,
 * retries), and a loader of its own that inherits from it.
 */
function makeFile(loader: Phaser.Loader.LoaderPlugin, { key, pages }: AtlasData, index: number, normals?: string): Phaser.Loader.File {
  const made: Phaser.Loader.File[] = []
  const alone = {
    path: '',
    prefix: '',
    baseURL: '',
    emit: loader.emit.bind(loader),
    addFile: (file: Phaser.Loader.File) => made.push(file),
  }
  const url = new URL(normals ?? pages[index]?.url ?? '', document.baseURI).href
  const name = index === 0 ? key : `${key}#${index}`
  loader.image.call(Object.assign(Object.create(loader), alone), normals ? `${name}.normals` : name, url)
  return made[0] as Phaser.Loader.File
}

/** `Phaser.Loader.FILE_COMPLETE`. */
const complete = 17

/** Fetches a page outside of the loader's queue, because a scene that ends empties the queue. */
function fetchPage(file: Phaser.Loader.File): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(new Error(`Expected a picture at ${file.url}, found none that the browser shows.`))
    Object.assign(file.loader, {
      nextFile: (_: unknown, isLoaded: boolean) => (isLoaded ? file.onProcess() : fail()),
      fileProcessComplete: () => (file.state === complete ? resolve(file.data) : fail()),
    })
    file.crossOrigin = file.loader.crossOrigin
    file.load()
  })
}
