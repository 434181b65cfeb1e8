import { describe, expect, test } from 'vitest'
import { libgdx } from '../../../atlas/formats/libgdx.ts'
import { scaleSuffix } from '../../../atlas/formats/shared/pages.ts'
import { carries } from './carries.ts'
import { makeProject, painting } from './project.ts'
import { type Folder, formatSuite, type ReadAnimation, type ReadFrame, type ReadSheets, restored, toFolder } from './suite.ts'

interface Page {
  readonly textureFile: string
  readonly fields: Map<string, readonly string[]>
}

interface Region {
  readonly name: string
  readonly page: Page
  /** Fields that libGDX knows, and those that `findValue` returns. */
  readonly fields: Map<string, readonly string[]>
}

/** A port of `TextureAtlasData.load` (libGDX 1.9.13 and newer, gdx/graphics/g2d/TextureAtlas.java). */
function parseAtlas(text: string): { pages: Page[]; regions: Region[] } {
  const lines = text.split('\n')
  let at = 0
  const readEntry = (): readonly [string, readonly string[]] | undefined => {
    const line = lines[at]?.trim()
    if (line === undefined || line === '' || !line.includes(':')) return undefined
    const colon = line.indexOf(':')
    const values = line
      .slice(colon + 1)
      .split(',')
      .map((value) => value.trim())
    return [line.slice(0, colon).trim(), values.slice(0, 4)]
  }
  const readFields = (): Map<string, readonly string[]> => {
    const fields = new Map<string, readonly string[]>()
    for (let entry = readEntry(); entry !== undefined; entry = readEntry()) {
      fields.set(...entry)
      at++
    }
    return fields
  }
  while (lines[at]?.trim() === '') at++
  readFields()
  const pages: Page[] = []
  const regions: Region[] = []
  let page: Page | undefined
  while (at < lines.length) {
    const line = lines[at]!
    at++
    if (line.trim() === '') page = undefined
    else if (page === undefined) {
      page = { textureFile: line, fields: readFields() }
      pages.push(page)
    } else regions.push({ name: line.trim(), page, fields: readFields() })
  }
  // By index; regions without one come last, in the order of the file.
  const indexOf = ({ fields }: Region): number => Number(fields.get('index')?.[0] ?? Number.MAX_SAFE_INTEGER)
  return { pages, regions: regions.sort((a, b) => indexOf(a) - indexOf(b)) }
}

function numbers(region: Region, field: string): readonly number[] | undefined {
  return region.fields.get(field)?.map((value) => Number.parseInt(value, 10))
}

function draw(folder: Folder, region: Region): ReadFrame {
  const [x, y, width, height] = numbers(region, 'bounds') as [number, number, number, number]
  const [offsetX, offsetY, wholeWidth, wholeHeight] = numbers(region, 'offsets') as [number, number, number, number]
  const origin = numbers(region, 'origin')
  const split = numbers(region, 'split')
  return {
    // offsetY counts from the bottom of the whole frame to the bottom of the region.
    picture: restored(
      folder.picture(region.page.textureFile),
      { x, y, width, height },
      { x: offsetX, y: wholeHeight - offsetY - height },
      { width: wholeWidth, height: wholeHeight },
    ),
    anchor: origin && { x: origin[0]! / wholeWidth, y: 1 - origin[1]! / wholeHeight },
    borders: split && { left: split[0]!, right: split[1]!, top: split[2]!, bottom: split[3]! },
  }
}

function readAtlas(folder: Folder, file: string): ReadSheets {
  const { pages, regions } = parseAtlas(folder.text(file))
  for (const { textureFile, fields } of pages) {
    const { width, height } = folder.picture(textureFile)
    expect(fields.get('size')).toEqual([String(width), String(height)])
    expect(fields.get('format')).toEqual(['RGBA8888'])
    expect(fields.get('repeat')).toEqual(['none'])
  }
  const isPlayed = ({ fields }: Region): boolean => fields.has('index')
  const frames = regions.filter((region) => !isPlayed(region))
  expect(new Set(frames.map(({ name }) => name)).size).toBe(frames.length)
  const placeOf = ({ page, fields }: Region): string => `${page.textureFile} ${fields.get('bounds')} ${fields.get('offsets')}`
  const animations = new Map<string, ReadAnimation>()
  for (const name of new Set(regions.filter(isPlayed).map((region) => region.name))) {
    const played = regions.filter((region) => region.name === name && isPlayed(region))
    expect(played.map((region) => numbers(region, 'index')![0])).toEqual(played.map((_, index) => index))
    animations.set(name, {
      // A region of an animation has no name of its own. Its frame is the one at the same place.
      frames: played.map((region) => frames.find((frame) => placeOf(frame) === placeOf(region))!.name),
      durationsMs: played.map((region) => numbers(region, 'duration')![0]!),
    })
  }
  return { frames: new Map(frames.map((region) => [region.name, draw(folder, region)])), animations }
}

formatSuite({
  format: libgdx,
  carries: carries.libgdx,
  reader: 'a port of TextureAtlasData',
  anchorSlackPx: 0.5,
  tellsTwinsApart: false,
  read: (folder, groups, scale) => {
    const sheets = groups.map((group) => readAtlas(folder, `${group}${scaleSuffix(scale)}.atlas`))
    return {
      frames: new Map(sheets.flatMap(({ frames }) => [...frames])),
      animations: new Map(sheets.flatMap(({ animations }) => [...animations])),
    }
  },
})

describe('the format libgdx', () => {
  test('writes pages and regions as libGDX packs them', () => {
    const project = makeProject({
      sequences: [painting('hero/walk', { count: 1, use: [0, 0], durations: [50, 70], anchor: { x: 0.5, y: 1 }, pixelArt: true })],
    })
    const { width, height } = project.atlases[0]!.pages[0]!
    const { x, y, ...frame } = project.atlases[0]!.atlas.frames[0]!
    const bottom = 32 - frame.offsetY - frame.height
    const region = [`bounds: ${x}, ${y}, ${frame.width}, ${frame.height}`, `offsets: ${frame.offsetX}, ${bottom}, 24, 32`, 'origin: 12, 0']
    expect(toFolder(libgdx, project).text('sprites.atlas').split('\n')).toEqual([
      'sprites-0.png',
      `size: ${width}, ${height}`,
      'format: RGBA8888',
      'filter: Nearest, Nearest',
      'repeat: none',
      ...['hero/walk/0000', ...region],
      ...['hero/walk', 'index: 0', ...region, 'duration: 50'],
      ...['hero/walk', 'index: 1', ...region, 'duration: 70'],
      '',
    ])
  })

  test.each(['a:b/walk', ' a/walk', 'a\nb/walk'])('refuses a name that it cannot spell: %j', (name) => {
    expect(() => toFolder(libgdx, makeProject({ sequences: [painting(name)] }))).toThrow(
      expect.objectContaining({ code: 'SW_ATLAS_OPTION' }),
    )
  })
})
