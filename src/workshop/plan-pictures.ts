import { encodePng, makeContactSheet } from '../../atlas/index.ts'
import type { Context } from '../project/context.ts'
import { layoutOf } from '../project/opener.ts'
import type { ServiceConnection } from '../project/session.ts'
import { survey, throwAll } from '../project/survey.ts'
import { readPlayed } from '../sheets/frames.ts'
import type { PlanPictures } from './api/reports.ts'
import { toInputs } from './sheets/sheets.ts'

const endings = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' } as const

/**
 * Draws what a purchase would replace, and finds the picture that it would be made from. The service is not
 * asked.
 *
 * @returns One entry for each animation that is not bought and has either, in the order of the plan.
 * @throws `SW_DELIVERY` for a result that cannot be read.
 */
export async function drawPlanPictures(
  context: Context,
  connection: ServiceConnection,
  names: readonly string[],
): Promise<readonly PlanPictures[]> {
  const found = await survey(context, names, { host: connection.host })
  throwAll(found.errors)
  const inputs = await toInputs(context, found, 'placeholder', () => {})
  const all: PlanPictures[] = []
  for (const [at, input] of inputs.entries()) {
    const { id, state } = found.items[at]!
    const { picture } = found.wanted[at]!
    if (state === 'bought') continue
    const isReplaced = input.source.kind === 'result' && input.source.isSuperseded === true
    const played = isReplaced ? await readPlayed(input, { layout: layoutOf(context), isJudged: false }) : undefined
    if (!played && !picture) continue
    all.push({
      id,
      ...(played ? { before: { file: `${id}.before.png`, bytes: encodePng(makeContactSheet(played.frames)) } } : {}),
      ...(picture ? { reference: { file: `${id}.reference.${endings[picture.contentType]}`, bytes: picture.bytes } } : {}),
    })
  }
  return all
}
