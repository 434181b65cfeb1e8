import { relative } from 'node:path'
import { SpritewrightError } from '../../errors.ts'
import { stageFile } from '../../host/publish.ts'
import type { Context } from '../../project/context.ts'
import { findSpecs, type ReadSpec, toScan, tryReadSpec } from '../../spec/scan.ts'
import { specName } from '../../spec/spec-file.ts'
import { sha256 } from '../../vault/objects.ts'
import type { SpecEditReport, SpecEditRequest } from '../api/overview-report.ts'

/** Writes into spec files of the project, one at a time. */
export type SpecEditor = (request: SpecEditRequest) => Promise<SpecEditReport>

/**
 * Creates an editor of the project's specs: of the files that its globs match, and no other file. A file is
 * replaced as a whole, or left as it is. Edits throw `SW_USAGE` for an unknown sprite, `SW_CHANGED` if the
 * file has changed since it was shown, and `SW_SPEC` if the result would be no valid spec.
 */
export function createSpecEditor(context: Context): SpecEditor {
  let queue: Promise<unknown> = Promise.resolve()
  return (request) => {
    const run = queue.then(() => edit(context, request))
    queue = run.catch(() => {})
    return run
  }
}

async function edit({ host, options }: Context, { sprite, digest, edit }: SpecEditRequest): Promise<SpecEditReport> {
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
  const { editSpecText } = await import('../../spec/edit/edit.ts')
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await readFresh())
  const edited = new TextEncoder().encode(editSpecText(text, file, shownAs, edit(spec)))
  if (sha256(edited) === digest) return { file, digest }
  const staged = await stageFile(host.disk, host.random, file, edited)
  try {
    await readFresh()
  } catch (error) {
    await staged.discard()
    throw error
  }
  await staged.commit()
  return { file, digest: sha256(edited) }
}
