import { join } from 'node:path'
import type { Host } from '../host/host.ts'
import type { Workshop } from '../workshop.ts'
import type { Printer } from './view/printer.ts'

/** Whether a project is written in TypeScript. */
export async function hasTypeScript({ disk }: Pick<Host, 'disk'>, root: string): Promise<boolean> {
  return (await disk.stat(join(root, 'tsconfig.json'))) !== undefined
}

/**
 * Writes the typings of all specs if the project is written in TypeScript, so that its compiler and linter have the
 * typings before Vite has run. If writing fails, the command continues.
 */
export async function refreshTypings(
  { parts, printer, root }: { readonly parts: { readonly host: Host }; readonly printer: Printer; readonly root: string },
  workshop: Workshop,
): Promise<void> {
  if (!(await hasTypeScript(parts.host, root))) return
  try {
    await workshop.writeTypings()
  } catch (error) {
    printer.warn(`The typings of the specs could not be written: ${(error as Error).message}`)
  }
}
