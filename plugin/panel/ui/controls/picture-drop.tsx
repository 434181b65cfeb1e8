import type { VNode } from 'preact'
import { useId, useState } from 'preact/hooks'
import type { ActionRequest } from '../../../protocol/actions.ts'

type Picture = ActionRequest<'answer'>['asset']

/** Maximum size of a picture for an answer in bytes, and the accepted types. */
const mostBytes = 8 * 2 ** 20
const kinds = ['image/png', 'image/jpeg', 'image/webp']

/** The properties of a field for a picture. */
export interface PictureDropProps {
  readonly label: string
  readonly isLocked: boolean
  readonly picture: Picture
  readonly onPicture: (picture: Picture) => void
}

/** A field for a picture that is dropped on it, or chosen. */
export function PictureDrop({ label, isLocked, picture, onPicture }: PictureDropProps): VNode {
  const id = useId()
  const [isOver, setOver] = useState(false)
  const [wrong, setWrong] = useState('')
  const take = async (file: File | undefined): Promise<void> => {
    if (!file) return
    const problem = await problemOf(file)
    setWrong(problem)
    onPicture(problem === '' ? { name: file.name, base64: await toBase64(file) } : undefined)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the field inside is the first.
    <div
      class="picture-drop stack tight"
      data-target={isOver || undefined}
      onDragOver={(event) => {
        if (isLocked) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        if (!isLocked) void take(event.dataTransfer?.files[0])
      }}
    >
      <label for={id}>{label}</label>
      <input
        id={id}
        type="file"
        accept={kinds.join(',')}
        disabled={isLocked}
        aria-describedby={`${id}-words`}
        onChange={(event) => void take(event.currentTarget.files?.[0])}
      />
      {picture && <img src={`data:;base64,${picture.base64}`} alt="" />}
      <p id={`${id}-words`} class={wrong === '' ? 'soft small' : 'wrong small'} role={wrong === '' ? undefined : 'alert'}>
        {wrong !== '' ? wrong : picture ? `${picture.name} is chosen.` : 'Drop it here. PNG, JPEG or WebP, at most 8 MiB.'}
      </p>
    </div>
  )
}

async function problemOf(file: File): Promise<string> {
  const { name, type, size } = file
  const refused = `${name} is no PNG, JPEG or WebP picture. Choose another.`
  if (!kinds.includes(type)) return refused
  if (size > mostBytes) return `${name} has ${(size / 2 ** 20).toFixed(1)} MiB, more than 8. Choose a smaller one.`
  // The browser takes the type from the file's name.
  return createImageBitmap(file).then(
    () => '',
    () => refused,
  )
}

async function toBase64(file: File): Promise<string> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(String(reader.result)))
    reader.addEventListener('error', () => reject(reader.error))
    reader.readAsDataURL(file)
  })
  return url.slice(url.indexOf(',') + 1)
}
