import type { Context } from '../../project/context.ts'
import type { ServiceConnection } from '../../project/session.ts'
import { survey } from '../../project/survey.ts'
import type { BuiltSheets } from '../../sheets/sheet.ts'
import { assemble } from '../sheets/sheets.ts'

/**
 * Packs every atlas group as a build would, with placeholders for what is not bought. Sprites with errors are left
 * out: others report them. Writes nothing, and does not contact the service.
 */
export async function packAtlases(context: Context, connection: ServiceConnection): Promise<BuiltSheets> {
  const found = await survey(context, [], { host: connection.host })
  return assemble(context, found, 'group', 'placeholder', { onOverrideFault: () => {}, warn: () => {}, canMirror: true })
}
