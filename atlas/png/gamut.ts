import { inflateSync } from 'node:zlib'

/**
 * Red, green and blue of sRGB in an ICC profile: X, Y and Z, adapted to D50.
 *
 * @see IEC 61966-2-1; ICC.1:2022, Annex E.
 */
const srgb: Readonly<Record<string, readonly number[]>> = {
  rXYZ: [0.436, 0.2225, 0.0139],
  gXYZ: [0.3851, 0.7169, 0.0971],
  bXYZ: [0.1431, 0.0606, 0.7139],
}
/** Profiles that are called sRGB differ by at most 0.005, Adobe RGB and Display P3 by 0.08 and more. */
const tolerance = 0.02
/** A profile with tables for printers has some megabytes. One for a screen has some kilobytes. */
const maximumProfileBytes = 2 ** 22

/**
 * Returns a warning if PNGs have a colour profile of another gamut than sRGB. Profiles are ignored here, as in
 * the engines.
 *
 * @param files Sound pictures and their names for a person.
 */
export function gamutWarning(files: readonly { readonly name: string; readonly bytes: Uint8Array }[]): readonly string[] {
  const foreign = files.flatMap(({ name, bytes }) => {
    const profile = foreignProfile(bytes)
    return profile === undefined ? [] : [{ name, profile }]
  })
  const [first] = foreign
  if (first === undefined) return []
  return [
    `${foreign.length} of ${files.length} pictures have colours of another gamut than sRGB (profile ${JSON.stringify(first.profile)}), first "${first.name}". Their values are used as they are, so the colours differ from what was painted: convert them to sRGB.`,
  ]
}

/**
 * Finds a colour profile (`iCCP`) whose red, green or blue is not that of sRGB. The pixels of such a picture
 * look different without it, and games ignore it.
 *
 * @param bytes A sound PNG.
 * @returns The name of the profile; `undefined` without a profile, or for one that cannot be read or is
 * defined otherwise.
 */
function foreignProfile(bytes: Uint8Array): string | undefined {
  const content = profileChunk(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  const nameEnd = content?.indexOf(0) ?? -1
  if (content === undefined || nameEnd < 1) return undefined
  try {
    const profile = inflateSync(content.subarray(nameEnd + 2), { maxOutputLength: maximumProfileBytes })
    return Object.entries(srgb).some(([tag, own]) => isOther(readXyz(profile, tag), own))
      ? content.toString('latin1', 0, nameEnd)
      : undefined
  } catch {
    return undefined
  }
}

/**
 * Whether red, green and blue of an ICC profile are those of sRGB. Returns `false` for a profile that is damaged
 * or defined otherwise.
 */
export function isSrgb(profile: Uint8Array): boolean {
  const buffer = Buffer.from(profile.buffer, profile.byteOffset, profile.byteLength)
  try {
    return Object.entries(srgb).every(([tag, own]) => {
      const found = readXyz(buffer, tag)
      return found !== undefined && !isOther(found, own)
    })
  } catch {
    return false
  }
}

/** The content of `iCCP`. It comes before the image data. */
function profileChunk(png: Buffer): Buffer | undefined {
  for (let at = 8; at + 12 <= png.length; at += 12 + png.readUInt32BE(at)) {
    const type = png.toString('latin1', at + 4, at + 8)
    if (type === 'iCCP') return png.subarray(at + 8, at + 8 + png.readUInt32BE(at))
    if (type === 'IDAT') return undefined
  }
  return undefined
}

/**
 * Reads a tag of the type XYZ.
 *
 * @throws `RangeError` for a tag outside of the profile.
 * @see ICC.1:2022, 7.3 and 10.31.
 */
function readXyz(profile: Buffer, wanted: string): readonly number[] | undefined {
  const count = Math.min(profile.readUInt32BE(128), Math.floor((profile.length - 132) / 12))
  for (let index = 0; index < count; index++) {
    const entry = 132 + 12 * index
    if (profile.toString('latin1', entry, entry + 4) !== wanted) continue
    const at = profile.readUInt32BE(entry + 4)
    return [8, 12, 16].map((offset) => profile.readInt32BE(at + offset) / 65_536)
  }
  return undefined
}

function isOther(found: readonly number[] | undefined, own: readonly number[]): boolean {
  return found?.some((value, index) => Math.abs(value - own[index]!) > tolerance) ?? false
}
