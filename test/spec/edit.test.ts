import { describe, expect, test } from 'vitest'
import { editSpecText, type FieldEdit } from '../../src/sprite-spec/edit/edit.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'

const json = (text: string, ...edits: FieldEdit[]): string => editSpecText(text, '/p/hero.sprite.json', 'hero.sprite.json', edits)
const yaml = (text: string, ...edits: FieldEdit[]): string => editSpecText(text, '/p/hero.sprite.yaml', 'hero.sprite.yaml', edits)

const commented = `{
  // who it is
  "reference": "./hero.png",
  "prompt": "a knight", /* in armour */
  "animations": {
    "walk": { "frames": 8 }, // one line
    "idle": {
      // breathing
      "fps": 8, // slow
      "frames": 9 // asked for
      /* the end */
    },
    "hurt": {}
  }
}
`

describe('JSON', () => {
  test('a field that is there is written in its place', () => {
    expect(json(commented, { path: ['animations', 'idle', 'fps'], value: 12.5 })).toBe(
      commented.replace('"fps": 8, // slow', '"fps": 12.5, // slow'),
    )
  })

  test('a new field comes last, in the form of its neighbours', () => {
    expect(json(commented, { path: ['animations', 'walk', 'loop'], value: false })).toBe(
      commented.replace('{ "frames": 8 }', '{ "frames": 8, "loop": false }'),
    )
    expect(json(commented, { path: ['animations', 'idle', 'use'], value: [0, 2, 1] })).toBe(
      commented.replace('"frames": 9 // asked for\n', '"frames": 9, // asked for\n      "use": [0, 2, 1]\n'),
    )
    expect(json(commented, { path: ['animations', 'hurt', 'fps'], value: 3 })).toBe(commented.replace('"hurt": {}', '"hurt": { "fps": 3 }'))
    const empty = commented.replace('"hurt": {}', '"hurt": {  }')
    expect(json(empty, { path: ['animations', 'hurt', 'fps'], value: 3 })).toBe(commented.replace('"hurt": {}', '"hurt": { "fps": 3 }'))
    expect(json(commented, { path: ['size'], value: { width: 64, height: 32 } })).toBe(
      commented.replace(/\n {2}\}\n\}\n$/, '\n  },\n  "size": { "width": 64, "height": 32 }\n}\n'),
    )
  })

  test('a field goes with its comma and its line; comments stay', () => {
    const without = json(commented, { path: ['animations', 'idle', 'fps'] })
    expect(without).toBe(commented.replace('"fps": 8, // slow', '// slow'))
    expect(json(without, { path: ['animations', 'idle', 'fps'] })).toBe(without)
    const two = commented.replace('"frames": 9 //', '"frames": 9,\n      "use": [1, 2] //')
    expect(json(two, { path: ['animations', 'idle', 'use'] })).toBe(
      commented.replace('"frames": 9 // asked for\n', '"frames": 9\n      // asked for\n'),
    )
  })

  test('tabs, CRLF, a byte order mark and trailing commas are kept', () => {
    const text =
      '\uFEFF{\r\n\t"reference": "./a.png",\r\n\t"prompt": "a",\r\n\t"animations": {\r\n\t\t"walk": {\r\n\t\t\t"frames": 8,\r\n\t\t},\r\n\t},\r\n}\r\n'
    const fast = json(text, { path: ['animations', 'walk', 'fps'], value: 20 })
    expect(fast).toBe(text.replace('"frames": 8,\r\n', '"frames": 8,\r\n\t\t\t"fps": 20,\r\n'))
    expect(json(fast, { path: ['animations', 'walk', 'fps'] })).toBe(text)
    expect(json(text, { path: ['anchor'], value: [0.5, 1] })).toBe(
      text.replace(/\t\},\r\n\}\r\n$/, '\t},\r\n\t"anchor": [0.5, 1],\r\n}\r\n'),
    )
  })

  test('all on one line', () => {
    const text = '{"reference":"./a.png","prompt":"a","animations":{"walk":{"fps":8,"frames":7}}}'
    expect(json(text, { path: ['animations', 'walk', 'fps'] })).toBe(text.replace('"fps":8,', ''))
    expect(json(text, { path: ['animations', 'walk', 'frames'] })).toBe(text.replace(',"frames":7', ''))
    expect(json(text, { path: ['size'], value: 64 })).toBe(text.replace(/\}$/, ', "size": 64}'))
  })
})

/** An edit of one field of the animation. Without a value, the field goes. */
const of = (field: string, ...value: readonly [] | readonly [NonNullable<FieldEdit['value']>]): FieldEdit => ({
  path: ['animations', 'walk', field],
  ...(value.length > 0 ? { value: value[0] } : {}),
})

describe('JSON', () => {
  const around = (walk: string, more = ''): string => `{ "reference": "./a.png", "prompt": "a", "animations": { "walk": ${walk}${more} } }`

  test.each([
    ['{ /* none */ }', of('fps', 3), '{ "fps": 3  /* none */ }'],
    ['{ "frames": 8, }', of('fps', 3), '{ "frames": 8, "fps": 3, }'],
    ['{\n "frames": 8 }', of('fps', 3), '{\n "frames": 8, \n "fps": 3}'],
    ['{ "frames": 8,\n "fps": 3 }', of('frames'), '{ \n "fps": 3 }'],
    ['{ "frames": 8,\n "fps": 3 }', of('fps'), '{ "frames": 8\n }'],
    ['{\n "frames": 8 }', of('frames'), '{\n }'],
    ['{ "frames": 8 }', of('frames'), '{ }'],
    ['{ "frames": 8, "fps": 3, "loop": false }', of('fps'), '{ "frames": 8, "loop": false }'],
    ['{ "frames": 8, "fps": 3, }', of('fps'), '{ "frames": 8, }'],
  ])('%j becomes, by %j, %j', (before, edit, after) => {
    expect(json(around(before), edit)).toBe(around(after))
  })

  test('missing objects are written around a new field', () => {
    const path = ['animations', 'jump', 'fps']
    expect(json(around('{}'), { path, value: 3 })).toBe(around('{}', ', "jump": { "fps": 3 }'))
    expect(yaml('reference: a.png\nprompt: x\nanimations:\n  walk: {}\n', { path, value: 3 })).toBe(
      'reference: a.png\nprompt: x\nanimations:\n  walk: {}\n  jump: { "fps": 3 }\n',
    )
  })
})

describe('YAML', () => {
  const long = 'a long prompt '.repeat(8).trim()
  /** A whole spec. A document that is written again loses the gap. */
  const around = (walk: string, gap = '   '): string => `reference:${gap}a.png\nprompt: ${long}\nanimations:\n  walk:${walk}\n`

  test.each([
    [' {}', of('fps', 3), ' { fps: 3 }'],
    [' { "fps":3 }', of('fps', 12), ' { "fps": 12 }'],
    ['\n    "fps": 3\n    frames: 9', of('fps', 12), '\n    "fps": 12\n    frames: 9'],
    ['\n    fps: 3\n    frames: 9\n    loop: true', of('frames'), '\n    fps: 3\n    loop: true'],
    ['\n    fps: 3\n    frames: 9', of('frames'), '\n    fps: 3'],
    ['\n    fps: 3\n    use:\n      - 1\n      - 2\n    frames: 9', of('use'), '\n    fps: 3\n    frames: 9'],
    ['\n    use:\n    - 0\n    - 1\n    frames: 9', of('use', [3]), '\n    use: [3]\n    frames: 9'],
    ['\n    fps: 3\n    use: [1, 2]', of('loop', true), '\n    fps: 3\n    use: [1, 2]\n    loop: true'],
    ['\n    use:\n      - 1\n    # more', of('loop', true), '\n    use:\n      - 1\n    loop: true\n    # more'],
  ])('%j becomes, by %j, %j', (before, edit, after) => {
    // The line ends are those of Windows. The tests below have the others.
    const windows = (text: string): string => around(text).replaceAll('\n', '\r\n')
    expect(yaml(windows(before), edit)).toBe(windows(after))
  })

  test.each([
    [' { fps: 3, frames: 9 }', of('fps'), ' { frames: 9 }'],
    ['\n    fps: 3', of('fps'), ' {}'],
    // An alias of one value gets a value of its own. The target stays.
    [' { fps: &n 3 }\n  jump:\n    fps: *n', { path: ['animations', 'jump', 'fps'], value: 20 }, ' { fps: &n 3 }\n  jump:\n    fps: 20'],
    [
      ' { use: &n [ 0, 1 ] }\n  jump:\n    use: *n',
      { path: ['animations', 'jump', 'use'], value: [2] },
      ' { use: &n [ 0, 1 ] }\n  jump:\n    use: [ 2 ]',
    ],
  ])('%j becomes, by %j, %j, in a document that is written again', (before, edit, after) => {
    for (const eol of ['\n', '\r\n'])
      expect(yaml(around(before).replaceAll('\n', eol), edit)).toBe(around(after, ' ').replaceAll('\n', eol))
  })

  test('the document is one map in braces, or ends without a line end', () => {
    const braces = (walk: string, size = ''): string => `{ reference: a.png, prompt: x, animations: { walk: ${walk} }${size} }`
    expect(yaml(braces('{}'), { path: ['size'], value: 32 })).toBe(braces('{}', ', size: 32'))
    expect(yaml(braces('{}'), of('fps', 32))).toBe(braces('{ fps: 32 }'))
    const open = 'reference: a.png\nanimations:\n  walk: {}\nsize: 32\nprompt: x'
    expect(yaml(open, { path: ['prompt'], value: 'y: z' })).toBe(open.replace('prompt: x', 'prompt: "y: z"'))
    expect(yaml(`${open}\nanchor: [0, 1]`, { path: ['anchor'] })).toBe(`${open}\n`)
  })

  const text = `# who it is
reference: ./hero.png
prompt: |
  a knight
  in armour
animations:
  walk: { frames: 8 } # one line
  idle:
    # breathing
    fps: 8 # slow
    use: # the good ones
      - 0
      - 2
  run: # fast
    frames: 9
    use:
      - 1
      - 3 # best

# the end
`

  test.each(['|', '>', '|-', '>-'])('a field goes behind a text in the style %s', (style) => {
    const block = `reference: ./hero.png\nanimations: { walk: {} }\nprompt: ${style}\n  a knight\n  in armour\n`
    expect(yaml(block, { path: ['size'], value: 64 })).toBe(`${block}size: 64\n`)
  })

  test('a field that is there is written in its place', () => {
    expect(yaml(text, { path: ['animations', 'idle', 'fps'], value: 12 })).toBe(text.replace('fps: 8 #', 'fps: 12 #'))
    const used = yaml(text, { path: ['animations', 'run', 'use'], value: [0, 1] })
    expect(used).toBe(text.replace('use:\n      - 1\n      - 3 # best', 'use: [0, 1] # best'))
    const other = yaml(text, { path: ['animations', 'idle', 'use'], value: [4] })
    expect(other).toContain('# the good ones')
    expect(parseSpec(other, '/p/hero.sprite.yaml').animations[1]?.use).toEqual([4])
  })

  test('a new field comes last', () => {
    expect(yaml(text, { path: ['animations', 'walk', 'fps'], value: 12 })).toBe(text.replace('{ frames: 8 }', '{ frames: 8, fps: 12 }'))
    expect(yaml(text, { path: ['animations', 'run', 'loop'], value: false })).toBe(text.replace('# best\n', '# best\n    loop: false\n'))
    expect(yaml(text, { path: ['anchor'], value: [0.5, 1] })).toBe(text.replace('# best\n', '# best\nanchor: [0.5, 1]\n'))
    expect(yaml('reference: a.png\nanimations: {a: {}}\nprompt: |\n  x\n', { path: ['size'], value: 32 })).toBe(
      'reference: a.png\nanimations: {a: {}}\nprompt: |\n  x\nsize: 32\n',
    )
    expect(yaml('reference: a.png\nprompt: x\nanimations: {a: {}}', { path: ['size'], value: 32 })).toBe(
      'reference: a.png\nprompt: x\nanimations: {a: {}}\nsize: 32',
    )
  })

  test('a field goes with its line; comments stay, also where it was the only one', () => {
    expect(yaml(text, { path: ['animations', 'idle', 'fps'] })).toBe(text.replace('fps: 8 # slow', '# slow'))
    const { animations } = parseSpec(yaml(text, { path: ['animations', 'walk', 'frames'] }), '/p/hero.sprite.yaml')
    expect(animations[0]).toMatchObject({ name: 'walk', frames: 12 })
    const all = yaml(text, { path: ['animations', 'run', 'use'] }, { path: ['animations', 'run', 'frames'] })
    for (const comment of ['# who it is', '# one line', '# breathing', '# slow', '# fast', '# the end']) expect(all).toContain(comment)
    expect(parseSpec(all, '/p/hero.sprite.yaml').animations[2]).toMatchObject({ name: 'run', frames: 12 })
  })

  test('what an alias shares is not changed behind the back of the others', () => {
    const shared = 'reference: a.png\nprompt: x\nanimations:\n  a: &one\n    fps: 8\n  b: *one\n'
    const path = ['animations', 'b', 'fps']
    const facts = { file: '/p/hero.sprite.yaml', field: 'animations.b.fps' }
    expect(() => yaml(shared, { path, value: 20 })).toThrow(expect.objectContaining({ code: 'SW_SPEC', facts }))
    expect(() => yaml(shared, { path, value: 20 })).toThrow(/^hero\.sprite\.yaml: animations\.b\.fps .* Write it by hand as 20\.$/)
    expect(() => yaml(shared, { path })).toThrow(/Write it by hand: take it out\.$/)
  })
})

test('what would be no spec is refused with its place', () => {
  expect(() => json(commented, { path: ['animations', 'idle', 'fps'], value: 0 })).toThrow(/hero\.sprite\.json:9:14 .*above 0/)
  expect(() => json(commented, { path: ['animations', 'idle', 'use'], value: [9] })).toThrow(/one of the 9 frames/)
  // The text is judged before the edit too, so that an edit does not repair it by chance.
  const broken = commented.replace('"fps": 8', '"fps": 0')
  const named = (text: string, value: number) => () =>
    editSpecText(text, '/p/hero.sprite.json', 'art/hero.sprite.json', [{ path: ['animations', 'idle', 'fps'], value }])
  expect(named(broken, 8)).toThrow(/^art\/hero\.sprite\.json:9:14 .*above 0/)
  expect(named(commented, 0)).toThrow(/^art\/hero\.sprite\.json:9:14 .*above 0/)
  expect(() => json('{', { path: ['size'], value: 1 })).toThrow(expect.objectContaining({ code: 'SW_SPEC' }))
})
