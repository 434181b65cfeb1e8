import { useEffect, useState } from 'preact/hooks'
import type { PanelFrames, PanelPage, PanelSprite, SpriteRow } from '../../../protocol/protocol.ts'
import { useAnswer } from '../controls/hooks.ts'
import { usePanel } from '../state/panel-context.ts'

/**
 * All delivered frames of a take. They are fetched again if something about the take has changed.
 *
 * @param mark Any text that changes if the frames may have changed.
 * @returns `undefined` until they are loaded, and if there are none.
 */
export function useFrames(id: string, take: number, mark: string): PanelFrames | undefined {
  const { store } = usePanel()
  const [frames, fault] = useAnswer(() => store.api.frames(id, take), [store, id, take, mark])
  // A take that is not bought has no frames. Its card shows its state.
  return fault === '' && frames?.id === id && frames.take === take ? frames : undefined
}

/** The details of a sprite, for its pictures; `undefined` until they are loaded. */
export function usePictures(sprite: SpriteRow): PanelSprite | undefined {
  const { store } = usePanel()
  return useAnswer(() => store.pictures(sprite), [store, sprite.name, sprite.digest, sprite.art])[0]
}

/**
 * Pictures by their URL, which contains their content hash. Oldest first; the oldest are removed, and fetched
 * again if needed.
 */
const kept = new Map<string, HTMLImageElement>()
const mostKept = 200

/** The pictures of pages; each is `undefined` until it is loaded. Renders again when one arrives. */
export function usePages(pages: readonly PanelPage[]): readonly (HTMLImageElement | undefined)[] {
  const [, setArrived] = useState(0)
  const urls = pages.map((page) => page.url).join('\n')
  useEffect(() => {
    let isWanted = true
    for (const url of urls.split('\n')) {
      if (url === '' || kept.has(url)) continue
      const image = new Image()
      image.src = url
      // A picture that cannot be read leaves its frames empty. The server's errors have the reason.
      image.decode().then(
        () => {
          kept.set(url, image)
          const [oldest] = kept.keys()
          if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
          if (isWanted) setArrived((count) => count + 1)
        },
        () => {},
      )
    }
    return () => {
      isWanted = false
    }
  }, [urls])
  return pages.map((page) => kept.get(page.url))
}
