import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, IconButton } from '../controls/button.tsx'
import { Modal } from '../controls/modal.tsx'

/** As in the guide: where a key works, the key, and what it does. */
const keys = [
  ['list', '↑ ↓ Home End', 'go from line to line, to the first, to the last'],
  ['list', '← →', 'go to the box of a line, its link, the name of its sprite'],
  ['preview', 'Space', 'plays and pauses'],
  ['preview', '← →', 'step by one frame; on the anchor, all arrows move it'],
  ['preview', '+ − O', 'zoom; show the neighbouring frames'],
  ['film strip', 'Delete', 'drops a frame'],
  ['film strip', 'Alt ← →', 'moves a frame'],
] as const

/** The button that shows all keys. `?` shows them too, except where a person types, or in another dialog. */
export function Keys(): VNode {
  const dialog = useRef<HTMLDialogElement>(null)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const read = ({ key, target }: KeyboardEvent): void => {
      if (key === '?' && !(target as Element).closest('input:not([type="checkbox"]), textarea, select, dialog')) setOpen(true)
    }
    document.addEventListener('keydown', read)
    return () => document.removeEventListener('keydown', read)
  }, [])
  return (
    <>
      <IconButton label="Show the keys" title="Show the keys (?)" onClick={() => setOpen(true)}>
        ?
      </IconButton>
      {isOpen && (
        <Modal dialog={dialog} title="Keys" onClose={() => setOpen(false)}>
          <table>
            {keys.map(([place, key, words]) => (
              <tr key={place + key}>
                <td class="soft">{place}</td>
                <th scope="row">
                  <strong>{key}</strong>
                </th>
                <td>{words}</td>
              </tr>
            ))}
          </table>
          <Button label="Close" onClick={() => dialog.current?.close()} />
        </Modal>
      )}
    </>
  )
}
