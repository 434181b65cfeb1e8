import { useEffect, useState } from 'preact/hooks'
import type { PanelFrames } from '../../../protocol/protocol.ts'
import { usePanel } from '../state/panel-context.ts'

/**
 * All delivered frames of a take. Fetched again where something about it has changed.
 *
 * @param mark Any text that changes when the frames may have changed. @returns Undefined until they are here, and where there are none.
 */
export function useFrames(id: string, take: number, mark: string): PanelFrames | undefined {
  const { store } = usePanel()
  const [frames, setFrames] = useState<PanelFrames>()
  useEffect(() => {
    let isWanted = true
    store.api.frames(id, take).then(
      (found) => isWanted && setFrames(found),
      // A take that is not bought has no frames; the card says where it stands.
      () => isWanted && setFrames(undefined),
    )
    return () => {
      isWanted = false
    }
  }, [store, id, take, mark])
  return frames?.id === id && frames.take === take ? frames : undefined
}
