import { describe, expect, test } from 'vitest'
import { createGodotFormat, godot } from '../../../atlas/formats/godot.ts'
import { scaleSuffix } from '../../../atlas/formats/shared/pages.ts'
import { carries } from './carries.ts'
import { makeProject, painting } from './project.ts'
import { type Folder, formatSuite, type ReadAnimation, type ReadFrame, type ReadSheets, restored, toFolder } from './suite.ts'

/** One bracketed head of a resource with the fields below it. */
interface Section {
  readonly kind: string
  readonly attributes: Readonly<Record<string, string>>
  readonly fields: Readonly<Record<string, string>>
}

/**
 * A port of Godot's text resource loader (scene/resources/resource_format_text.cpp), for the parts of a
 * SpriteFrames resource.
 */
function parseResource(text: string): readonly Section[] {
  return text
    .split(/^(?=\[(?:gd_resource|ext_resource|sub_resource|resource)\b)/m)
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const [, kind, attributes] = /^\[(\w+)([^\n]*)\]$/m.exec(part)!
      const body = part.slice(part.indexOf('\n') + 1)
      return {
        kind: kind!,
        attributes: Object.fromEntries(
          [...attributes!.matchAll(/(\w+)=(?:"([^"]*)"|(\d+))/g)].map(([, key, quoted, bare]) => [key, quoted ?? bare]),
        ),
        fields: Object.fromEntries(
          body
            .split(/^(?=\w+ = )/m)
            .filter((field) => field.trim() !== '')
            .map((field) => [field.slice(0, field.indexOf(' = ')), field.slice(field.indexOf(' = ') + 3).trim()]),
        ),
      }
    })
}

function rectangle(text: string): readonly number[] {
  return /^Rect2\((.*)\)$/.exec(text)![1]!.split(', ').map(Number)
}

interface GodotAnimation {
  readonly name: string
  readonly speed: number
  readonly loop: boolean
  readonly frames: readonly { readonly duration: number; readonly texture: string }[]
}

function readResource(folder: Folder, file: string): ReadSheets {
  const sections = parseResource(folder.text(file))
  const [head] = sections
  expect(head).toMatchObject({ kind: 'gd_resource', attributes: { type: 'SpriteFrames', format: '3' } })
  // `load_steps` counts every resource and the file itself.
  expect(Number(head!.attributes.load_steps)).toBe(sections.length - 1)
  const byId = (kind: string): Map<string, Section> => {
    const all = sections.filter((section) => section.kind === kind)
    const known = new Map(all.map((section) => [section.attributes.id!, section]))
    expect(known.size).toBe(all.length)
    return known
  }
  const pages = byId('ext_resource')
  const textures = byId('sub_resource')
  const pictures = new Map(
    [...textures].map(([id, { attributes, fields }]) => {
      expect(attributes.type).toBe('AtlasTexture')
      const page = folder.picture(pages.get(/^ExtResource\("(.*)"\)$/.exec(fields.atlas!)![1]!)!.attributes.path!)
      const [x, y, width, height] = rectangle(fields.region!) as [number, number, number, number]
      // scene/resources/atlas_texture.cpp: the size is region + margin size, drawn at the margin's place.
      const [left, top, moreWidth, moreHeight] = rectangle(fields.margin ?? 'Rect2(0, 0, 0, 0)') as [number, number, number, number]
      const size = { width: width + moreWidth, height: height + moreHeight }
      return [id, restored(page, { x, y, width, height }, { x: left, y: top }, size)] as const
    }),
  )
  const text = sections
    .at(-1)!
    .fields.animations!.replaceAll('&"', '"')
    .replace(/SubResource\("([^"]*)"\)/g, '"$1"')
  const animations = JSON.parse(text) as readonly GodotAnimation[]
  const nameOf = (id: string): string => JSON.parse(textures.get(id)!.fields.resource_name!) as string
  return {
    frames: new Map([...pictures].map(([id, picture]) => [nameOf(id), { picture } satisfies ReadFrame])),
    animations: new Map(
      animations.map(({ name, speed, loop, frames }) => [
        name,
        {
          frames: frames.map(({ texture }) => nameOf(texture)),
          durationsMs: frames.map(({ duration }) => (duration * 1000) / speed),
          loop,
        } satisfies ReadAnimation,
      ]),
    ),
  }
}

formatSuite({
  format: godot,
  carries: carries.godot,
  reader: 'a port of its text resource loader',
  read: (folder, groups, scale) => {
    const sheets = groups.map((group) => readResource(folder, `${group}${scaleSuffix(scale)}.tres`))
    return {
      frames: new Map(sheets.flatMap(({ frames }) => [...frames])),
      animations: new Map(sheets.flatMap(({ animations }) => [...animations])),
    }
  },
})

describe('the format godot', () => {
  const walk = painting('hero/walk', { count: 2, durations: [100, 250], fps: 10 })

  test('writes a resource as Godot saves it', () => {
    const { atlases } = makeProject({ sequences: [walk] })
    const [first, second] = atlases[0]!.atlas.frames
    const text = toFolder(godot, makeProject({ sequences: [walk] })).text('sprites.tres')
    const lines = text.split('\n')
    expect(lines.slice(0, 5)).toEqual([
      '[gd_resource type="SpriteFrames" load_steps=4 format=3]',
      '',
      '[ext_resource type="Texture2D" path="sprites-0.png" id="page_0"]',
      '',
      '[sub_resource type="AtlasTexture" id="AtlasTexture_hero_walk_0000"]',
    ])
    expect(lines).toContain('atlas = ExtResource("page_0")')
    expect(text).toContain(`region = Rect2(${first!.x}, `)
    expect(text).toContain(`region = Rect2(${second!.x}, `)
    expect(text).toMatch(/^margin = Rect2\(\d+, \d+, \d+, \d+\)$/m)
    expect(text.slice(text.indexOf('[resource]'))).toBe(
      [
        '[resource]',
        'animations = [{',
        '"frames": [{',
        '"duration": 1.0,',
        '"texture": SubResource("AtlasTexture_hero_walk_0000")',
        '}, {',
        '"duration": 2.5,',
        '"texture": SubResource("AtlasTexture_hero_walk_0001")',
        '}],',
        '"loop": true,',
        '"name": &"hero/walk",',
        '"speed": 10.0',
        '}]',
        '',
      ].join('\n'),
    )
  })

  test('keeps the ids of frames when others join them', () => {
    const idsOf = (...sequences: (typeof walk)[]): string[] =>
      [
        ...toFolder(godot, makeProject({ sequences }))
          .text('sprites.tres')
          .matchAll(/^\[sub_resource .* id="(.*)"\]$/gm),
      ].map(([, id]) => id!)
    expect(idsOf(walk, painting('a/first'), painting('orc/hit'))).toEqual(expect.arrayContaining(idsOf(walk)))
  })

  test('names that differ only where ids cannot keep them apart get ids of their own', () => {
    const text = toFolder(godot, makeProject({ sequences: [painting('a-b/walk', { count: 1 }), painting('a_b/walk', { count: 1 })] })).text(
      'sprites.tres',
    )
    expect([...text.matchAll(/id="(AtlasTexture.*)"/g)].map(([, id]) => id)).toEqual([
      'AtlasTexture_a_b_walk_0000',
      'AtlasTexture_a_b_walk_0000_2',
    ])
  })

  test('puts the folder of the Godot project before the pages where one is given', () => {
    expect(toFolder(createGodotFormat({ path: 'res://art/' }), makeProject({ sequences: [walk] })).text('sprites.tres')).toContain(
      'path="res://art/sprites-0.png"',
    )
  })
})
