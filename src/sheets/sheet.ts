import { hasCode, SpritewrightError } from '../errors.ts'
import { withMirrors } from '../sprite-spec/mirrors.ts'
import { referencePath } from '../sprite-spec/reference.ts'
import { animationId } from '../sprite-spec/request.ts'
import { nameInSprite } from '../sprite-spec/spec.ts'
import { makeAnimation, readAnimation } from './cache/animation.ts'
import type { AnimationPorts } from './cache/cache.ts'
import { type AskedGroup, readSheet } from './cache/sheet.ts'
import { groupBy, makeGroup, type SheetPorts } from './group.ts'
import type { BuiltAtlas, BuiltGroup, BuiltSheets, BuiltSprite, SheetOptions } from './model.ts'
import { type AnimationQuality, withoutMeant } from './quality.ts'
import { isChecked, type SheetInput } from './sources.ts'

export type { BuiltAtlas, BuiltPage, BuiltSheets, BuiltSprite, SheetOptions } from './model.ts'

/**
 * Makes the atlases of a project. An unchanged group comes from the cache and opens no result.
 *
 * @param grouping `group` packs by the specs' `atlas`; `sprite` makes one atlas for each sprite.
 * @throws `SW_DELIVERY`, `SW_SPEC`, or an error of `atlas/` (`SW_PACK`, `SW_FRAME_SIZE`).
 */
export async function makeSheets(
  inputs: readonly SheetInput[],
  grouping: 'group' | 'sprite',
  options: SheetOptions,
  ports: SheetPorts,
): Promise<BuiltSheets> {
  const groups = groupInputs(inputs, grouping)
  const own = optionsFor(grouping, options)
  const made: BuiltGroup[] = []
  for (const [name, members] of groups) {
    ports.signal?.throwIfAborted()
    made.push(await makeWithOverrides({ name, members, options: own }, ports))
  }
  await ports.cache.finish()
  const atlases = made.flatMap((group) => group.atlases)
  return {
    sprites: toSprites(inputs, groups, atlases),
    atlases,
    quality: toQuality(
      inputs,
      made.flatMap((group) => group.quality),
    ),
  }
}

/**
 * Returns the quality of bought animations, sorted by id. It is read from the cache, or checked now, for which the
 * results are opened. An unreadable result is skipped, because a build reports it.
 *
 * @param inputs All inputs of the project, because a group is read as a whole.
 * @param ids Animations (`sprite.animation`) whose quality is returned.
 */
export async function readQuality(
  inputs: readonly SheetInput[],
  ids: ReadonlySet<string>,
  options: SheetOptions,
  ports: AnimationPorts,
): Promise<readonly AnimationQuality[]> {
  const known = new Map<string, AnimationQuality>()
  const isOpen = (input: SheetInput): boolean => {
    const id = animationId(input.spec, input.animation)
    return isChecked(input) && ids.has(id) && !known.has(id)
  }
  for (const grouping of ['group', 'sprite'] as const)
    for (const [name, members] of groupInputs(inputs, grouping)) {
      if (!members.some(isOpen)) continue
      const sheet = await readSheet({ name, members, options: optionsFor(grouping, options) }, ports.cache, ports.codec)
      for (const one of sheet?.quality ?? []) known.set(one.id, one)
    }
  for (const input of inputs.filter(isOpen)) {
    const quality = await readOneQuality(input, ports)
    if (quality) known.set(quality.id, quality)
  }
  return toQuality(
    inputs,
    [...known.values()].filter(({ id }) => ids.has(id)),
  )
}

/**
 * Sorts by id and removes the flags that a spec lists in `meant`. The cache has all flags, because `meant` may change.
 */
function toQuality(inputs: readonly SheetInput[], quality: readonly AnimationQuality[]): readonly AnimationQuality[] {
  const known = new Map(inputs.map((input) => [animationId(input.spec, input.animation), input] as const))
  const shown = quality.map((one) => {
    const input = known.get(one.id)
    return input ? withoutMeant(one, input.spec, input.animation) : one
  })
  return shown.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/**
 * Checks the quality and caches it with the frames. Returns `undefined` if the result cannot be read.
 */
async function readOneQuality(input: SheetInput, ports: AnimationPorts): Promise<AnimationQuality | undefined> {
  const cached = await readAnimation(input, ports)
  if (cached?.quality) return cached.quality
  try {
    return (await makeAnimation(input, true, ports)).quality
  } catch (error) {
    if (error instanceof SpritewrightError) return undefined
    throw error
  }
}

/**
 * Options for a dev server, which packs each sprite separately: no stable layout, fast encoding, and only one encoding.
 * KTX2 is skipped, because it takes too long and cannot be swapped in place.
 */
function optionsFor(grouping: 'group' | 'sprite', options: SheetOptions): SheetOptions {
  if (grouping === 'group') return options
  const { stable: _, effort: _effort, ...rest } = options
  return { ...rest, canMirror: true, encodings: [options.encodings.find((encoding) => encoding !== 'ktx2') ?? 'png'] }
}

/**
 * Groups the inputs, sorted by name. A page has one texture filter, so pixel art and smooth art of one group have
 * separate pages.
 */
function groupInputs(inputs: readonly SheetInput[], grouping: 'group' | 'sprite'): ReadonlyMap<string, readonly SheetInput[]> {
  const smooth = new Set(inputs.filter(({ spec }) => !spec.pixelArt).map(({ spec }) => spec.atlas))
  const groups = groupBy(inputs, ({ spec }) => {
    if (grouping === 'sprite') return spec.name
    return spec.pixelArt && smooth.has(spec.atlas) ? `${spec.atlas}-pixel` : spec.atlas
  })
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * Makes a group. If its touched-up frames do not fit and the caller handles the error, makes the group without
 * these frames.
 */
async function makeWithOverrides(asked: AskedGroup, ports: SheetPorts): Promise<BuiltGroup> {
  try {
    return await makeGroup(asked, ports)
  } catch (error) {
    if (!ports.onOverrideFault || !hasCode(error, 'SW_OVERRIDE')) throw error
    ports.onOverrideFault(error)
    return makeGroup({ ...asked, members: withoutOverrides(asked.members) }, ports)
  }
}

/** The inputs without touched-up frames, and so the inputs with which they are measured. These may name each other. */
function withoutOverrides(inputs: readonly SheetInput[]): readonly SheetInput[] {
  const known = new Map<SheetInput, SheetInput>()
  const bare = (input: SheetInput): SheetInput => {
    const found = known.get(input)
    if (found) return found
    const made = { ...input, overrides: undefined }
    known.set(input, made)
    return Object.assign(made, { peers: input.peers?.map(bare), bases: input.bases?.map(bare) })
  }
  return inputs.map(bare)
}

function toSprites(
  inputs: readonly SheetInput[],
  groups: ReadonlyMap<string, readonly SheetInput[]>,
  atlases: readonly BuiltAtlas[],
): BuiltSprite[] {
  const sprites = new Map<string, BuiltSprite>()
  const inputsOf = groupBy(inputs, ({ spec }) => spec.name)
  for (const [atlas, members] of groups) {
    const main = atlases.find((other) => other.name === atlas)
    const framesOf = groupBy(main?.frames ?? [], ({ name }) => name.split('/')[0] as string)
    for (const { spec, overridePaths = [] } of members) {
      if (sprites.has(spec.name)) continue
      const own = inputsOf.get(spec.name) ?? []
      const frame = framesOf.get(spec.name)?.[0]
      if (!main || !frame)
        throw new SpritewrightError('SW_INTERNAL', {
          message: `Expected frames of "${spec.name}" in the atlas "${atlas}", found none. Please report this.`,
        })
      const shown = withMirrors(
        spec,
        own.map(({ animation }) => animation),
      )
      const pictures = shown.flatMap((one) => (one.isPicture ? [nameInSprite(spec, one)] : []))
      sprites.set(spec.name, {
        name: spec.name,
        file: spec.file,
        picture: referencePath(spec),
        ...(overridePaths.length > 0 ? { overridePaths } : {}),
        atlas,
        width: Math.round(frame.sourceWidth / main.scale),
        height: Math.round(frame.sourceHeight / main.scale),
        anchor: spec.anchor,
        pixelArt: spec.pixelArt,
        isPlaceholder: own.some((input) => input.source.kind === 'placeholder'),
        ...supersededOf(own),
        ...touchedUpOf(own),
        animations: shown.flatMap(({ name, isPicture }) => (isPicture ? [] : [name])),
        ...(pictures.length > 0 ? { pictures } : {}),
      })
    }
  }
  return [...sprites.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

function supersededOf(own: readonly SheetInput[]): Pick<BuiltSprite, 'superseded'> {
  const names = own.flatMap(({ source, animation }) => (source.kind === 'result' && source.isSuperseded ? [animation.name] : []))
  return names.length > 0 ? { superseded: names } : {}
}

function touchedUpOf(own: readonly SheetInput[]): Pick<BuiltSprite, 'touchedUp'> {
  const frames = own.flatMap(({ source, animation, overrides }) =>
    source.kind === 'result' && overrides ? [[animation.name, overrides.key.map(([frame]) => frame)] as const] : [],
  )
  return frames.length > 0 ? { touchedUp: Object.fromEntries(frames) } : {}
}
