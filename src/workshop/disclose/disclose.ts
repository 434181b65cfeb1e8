import { relative, sep } from 'node:path'
import { type PageFormat, variantsOf } from '../../../atlas/index.ts'
import { enginesOf } from '../../options/options.ts'
import type { Context } from '../../project/context.ts'
import { layoutOf } from '../../project/opener.ts'
import type { ServiceConnection } from '../../project/session.ts'
import { type Survey, survey, throwAll } from '../../project/survey.ts'
import { ownerOf, readDelivered } from '../../sheets/frames.ts'
import { withBaked } from '../../sheets/mirrors.ts'
import { toOutput } from '../../sheets/output/output.ts'
import type { SheetInput } from '../../sheets/sources.ts'
import { animationId } from '../../sprite-spec/request.ts'
import { frameName } from '../../sprite-spec/spec.ts'
import { requestsOf } from '../../vault/lockfile.ts'
import type { DisclosedAnimation, DisclosedFrame, DisclosedPixels, DisclosedPurchase, Disclosure } from '../api/disclosure.ts'
import { readAccounts } from '../ledger/accounts.ts'
import type { LedgerLine } from '../ledger/report.ts'
import { withoutUnbought } from '../recovery/whole.ts'
import { assemble, sheetOptions, toInputs } from '../sheets/sheets.ts'
import { compareFolder, hashPixels, hashShipped } from './pixels.ts'

/**
 * Finds the origin of every frame that a build ships. Makes all pages again from the results and files of the
 * project, without the build cache, an entry of which somebody may have changed. The service is not asked. A paid
 * result that is not here has no origin, since a build fetches and ships it.
 *
 * @param folder Output folder of a build, absolute, whose pictures are compared with these pages.
 * @default no folder is compared
 * @throws As `build`, except that a placeholder is no error.
 */
export async function disclose(context: Context, connection: ServiceConnection, folder?: string): Promise<Disclosure> {
  const all = await survey(context, [], { host: connection.host })
  throwAll(all.errors)
  const { survey: found } = withoutUnbought(context, all)
  const { host, options } = context
  const lost = all.items.filter(({ state }) => state === 'lost')
  // Nothing here reads KTX2.
  const readable = options.atlas.encodings.filter((encoding) => encoding !== 'ktx2')
  const encodings: readonly PageFormat[] = readable.length > 0 ? readable : ['png']
  const cache = { read: async () => undefined, write: async () => {}, finish: async () => {} }
  const sheets = await assemble(
    { ...context, cache, options: { ...options, atlas: { ...options.atlas, encodings } } },
    found,
    'group',
    'placeholder',
  )
  const atlases = sheets.atlases.flatMap((atlas) => [atlas, ...variantsOf(atlas)])
  const shipped = await hashShipped(atlases)
  const { lines } = await readAccounts(context)
  const animations: DisclosedAnimation[] = []
  const placeholders = new Set<string>()
  for (const input of await toInputs(context, found, 'placeholder')) {
    const origin = await findOrigin(context, { found, lines, shipped }, input)
    if (origin) animations.push(origin)
    else if (input.source.kind === 'placeholder') for (const name of namesOf(context, input, 0)) placeholders.add(ownerOf(name))
  }
  const unopened = lost.map(({ id }) => ({ name: id, why: 'bought, but not here: npx spritewright build fetches it, for free' }))
  const unknown = [...shipped.keys()].map((name) => ({
    name,
    why: placeholders.has(ownerOf(name)) ? 'a placeholder, since it is not bought' : 'no purchase on record has its result',
  }))
  const unexplained = [...unopened, ...unknown]
  const files = folder === undefined || readable.length === 0 ? [] : await toOutput(sheets, enginesOf(options), options.formats)
  const other = folder === undefined ? undefined : await compareFolder(host.disk, folder, files, atlases)
  return { animations, ...other, unexplained: [...unexplained, ...(other?.unexplained ?? [])], warnings: context.warnings }
}

interface Records {
  readonly found: Survey
  readonly lines: readonly LedgerLine[]
  /** Pixels of shipped frames by name. A frame whose origin is found is taken out. */
  readonly shipped: Map<string, DisclosedPixels>
}

/** The name of a frame, and the names of those that free fields make of it: `mirror`, `variants`. They share its origin. */
function namesOf(context: Context, input: SheetInput, index: number): readonly string[] {
  const { name, variants = {} } = input.spec
  const sprites = [name, ...Object.keys(variants).map((variant) => `${name}.${variant}`)]
  return sprites.flatMap((sprite) => withBaked(input, sheetOptions(context)).map((made) => frameName({ name: sprite }, made, index)))
}

/** Finds the origin of an animation. Returns `undefined` for a placeholder, and for a result without a purchase. */
async function findOrigin(context: Context, records: Records, input: SheetInput): Promise<DisclosedAnimation | undefined> {
  const { spec, animation, source, overrides } = input
  const { found, shipped } = records
  if (source.kind === 'placeholder') return undefined
  const toPath = (file: string): string => relative(context.options.root, file).split(sep).join('/')
  const id = animationId(spec, animation)
  const isOwn = source.kind === 'own'
  const at = found.items.findIndex((item) => item.id === id)
  const [purchase, ...madeFrom] = isOwn ? [] : findPurchases(records, source.sha256, found.items[at]?.hash)
  if (!isOwn && !purchase) return undefined
  const delivered = await (isOwn ? source.read() : readDelivered({ spec, animation, source }, layoutOf(context)))
  const touched = new Map(isOwn ? [] : (await overrides?.read())?.found.map(({ frame, file }) => [frame, toPath(file)]))
  const frames = delivered.flatMap((bitmap, index) =>
    namesOf(context, input, index).flatMap((frame, at, [original]): readonly DisclosedFrame[] => {
      const pixels = shipped.get(frame)
      if (!pixels) return []
      shipped.delete(frame)
      const madeOf = at === 0 ? undefined : original
      return [{ frame, index, madeOf, touchedUp: touched.get(index), delivered: hashPixels(bitmap), shipped: pixels }]
    }),
  )
  if (!purchase) return { id, origin: 'drawn', files: spec.art?.files.map(toPath) ?? [], frames }
  const { picture } = found.wanted[at] ?? {}
  const isPicture = picture?.sha256 === (madeFrom.at(-1) ?? purchase).asked.reference
  return {
    id,
    origin: 'bought',
    purchase,
    madeFrom: madeFrom.reverse(),
    picture: isPicture ? picture && toPath(picture.path) : undefined,
    frames,
  }
}

/** The purchase of a result and, one after the other, those that it was made from. A result may have several requests. */
function findPurchases({ found, lines }: Records, result: string, hash: string | undefined): DisclosedPurchase[] {
  const locked = requestsOf(found.lock)
  const own = lines.filter((line) => line.result === result && locked.has(line.hash))
  const purchases: DisclosedPurchase[] = []
  let line = own.find((one) => one.hash === hash) ?? own[0]
  // An edited lock file may have a circle.
  while (line && !purchases.some((known) => known.hash === line?.hash)) {
    const { asked, approval } = locked.get(line.hash)!.entry
    const { hash: request, executionId, credits, given, shell, service, origin, at } = line
    const approved = { given, shell, approvedBy: approval?.buyer, approvedAt: approval?.at }
    const when = at > 0 ? new Date(at).toISOString() : undefined
    purchases.push({ hash: request, asked, service, executionId, result: line.result, credits, at: when, origin, ...approved })
    line = lines.findLast((one) => one.hash === asked.reference && locked.has(one.hash))
  }
  return purchases
}
