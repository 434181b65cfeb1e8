import { relative } from 'node:path'
import { SpritewrightError } from '../../errors.ts'
import { oneByOne } from '../../host/one-by-one.ts'
import { decodeText } from '../../host/project-style.ts'
import { stageFile } from '../../host/publish.ts'
import { sha256 } from '../../host/sha256.ts'
import type { Context } from '../../project/context.ts'
import type { FieldEdit } from '../../sprite-spec/edit/edit.ts'
import { findSpecs, type ReadSpec, toScan, tryReadSpec } from '../../sprite-spec/scan.ts'
import type { SpriteSpec } from '../../sprite-spec/spec.ts'
import { specName } from '../../sprite-spec/spec-file.ts'
import type { SpecEditReport, SpecEditRequest, SpecFileTarget } from '../api/overview-report.ts'
import { addPicture } from './new-sprite.ts'

/** Writes into spec files of the project, one at a time. */
export interface SpecEditor {
  edit(request: SpecEditRequest): Promise<SpecEditReport>
  /** Writes the text before the last edit of this editor again. */
  undo(target: SpecFileTarget): Promise<SpecEditReport>
}

/** Edits that can be undone. */
const mostUndone = 200

/**
 * Creates an editor of the project's specs: of the files that its globs match, and no other file. A file is
 * replaced as a whole, or left as it is. Edits throw `SW_USAGE` for an unknown sprite, `SW_CHANGED` if the
 * file has changed since it was shown, and `SW_SPEC` if the result would be no valid spec.
 */
export function createSpecEditor(context: Context): SpecEditor {
  const inOrder = oneByOne()
  /** Text before an edit, by the file and its digest after it. */
  const before = new Map<string, Uint8Array>()
  const write = (target: SpecFileTarget, isEdit: boolean, change: Change): Promise<SpecEditReport> =>
    inOrder(async () => {
      const { old, ...report } = await replaceSpec(context, target, change)
      const key = `${report.digest} ${report.file}`
      if (isEdit && report.digest !== target.digest && !before.has(key)) before.set(key, old)
      for (const first of [...before.keys()].slice(0, -mostUndone)) before.delete(first)
      return report
    })
  return {
    edit: ({ edit, picture, ...target }) =>
      write(target, true, async (spec, text, shownAs) => {
        const { editSpecText } = await import('../../sprite-spec/edit/edit.ts')
        const edited = (more: readonly FieldEdit[]): string => editSpecText(text, spec.file, shownAs, [...edit(spec), ...more])
        if (!picture) return new TextEncoder().encode(edited([]))
        if (spec.reference.kind === 'steps') throw chained(spec, shownAs)
        // The other edits are checked before the picture is written.
        edited([])
        return new TextEncoder().encode(edited([{ path: ['reference'], value: await addPicture(context, spec, picture) }]))
      }),
    undo: (target) =>
      write(target, false, async ({ file }, _text, shownAs) => {
        const old = before.get(`${target.digest} ${file}`)
        if (old) return old
        throw new SpritewrightError('SW_USAGE', {
          message: `Expected an edit of ${shownAs} that was made here, found none. Nothing was written.`,
          facts: { file },
        })
      }),
  }
}

function chained({ file }: SpriteSpec, shownAs: string): SpritewrightError {
  return new SpritewrightError('SW_USAGE', {
    message: `Expected a reference that is one picture, found a chain of steps. Edit the chain in ${shownAs}. Nothing was written.`,
    facts: { file },
  })
}

/** Returns the new bytes of a spec. */
type Change = (spec: SpriteSpec, text: string, shownAs: string) => Promise<Uint8Array>

async function replaceSpec(
  { host, options }: Context,
  { sprite, digest }: SpecFileTarget,
  change: Change,
): Promise<SpecEditReport & { readonly old: Uint8Array }> {
  const isNamed = (file: string): boolean => specName(file)?.toLowerCase() === sprite.toLowerCase()
  const read = new Map<string, ReadSpec['spec']>()
  for (const file of (await findSpecs(host.glob, options.root, options.specs)).filter(isNamed))
    read.set(file, (await tryReadSpec(host.disk, file, options.root)).spec)
  // Two specs with one name count as none.
  const spec = toScan(read, options.root).specs.find(({ name }) => name === sprite)
  if (!spec) {
    throw new SpritewrightError('SW_USAGE', {
      message: `Expected the name of a sprite whose spec is in order, found ${JSON.stringify(sprite)}.`,
      facts: { name: sprite },
    })
  }
  const { file } = spec
  const shownAs = relative(options.root, file).replaceAll('\\', '/')
  const readFresh = async (): Promise<Uint8Array> => {
    const bytes = await host.disk.read(file)
    if (sha256(bytes) === digest) return bytes
    throw new SpritewrightError('SW_CHANGED', {
      message: `${shownAs} has changed since it was looked at. Nothing was written; look at it again, and repeat the change.`,
      facts: { file },
    })
  }
  const old = await readFresh()
  const edited = await change(spec, decodeText(old, { ignoreBOM: true }), shownAs)
  if (sha256(edited) === digest) return { file, digest, old }
  const staged = await stageFile(host.disk, host.random, file, edited)
  try {
    await readFresh()
  } catch (error) {
    await staged.discard()
    throw error
  }
  await staged.commit()
  return { file, digest: sha256(edited), old }
}
