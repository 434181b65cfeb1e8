import { describe, expect, test } from 'vitest'
import { css } from '../../../atlas/formats/css.ts'
import { scaleSuffix } from '../../../atlas/formats/shared/pages.ts'
import { carries } from './carries.ts'
import { readCss } from './css-reader.ts'
import { makeProject, painting } from './project.ts'
import { formatSuite, toFolder } from './suite.ts'

formatSuite({
  format: css,
  carries: carries.css,
  reader: 'a port of what a browser does with background and clip-path',
  tellsTwinsApart: false,
  anchorSlackPx: 0.001,
  read: (folder, groups, scale) => {
    const sheets = groups.map((group) => readCss(folder, `${group}${scaleSuffix(scale)}.css`, scale))
    return {
      frames: new Map(sheets.flatMap(({ frames }) => [...frames])),
      animations: new Map(sheets.flatMap(({ animations }) => [...animations])),
    }
  },
})

describe('the format css', () => {
  test('draws pixel art with hard pixels, and nothing else', () => {
    const rulesOf = (pixelArt: boolean): string[] =>
      [...readCss(toFolder(css, makeProject({ sequences: [painting('hero/walk', { pixelArt })] })), 'sprites.css', 1).rules.values()].map(
        (rule) => rule.get('image-rendering') ?? '',
      )
    expect(new Set(rulesOf(true))).toEqual(new Set(['pixelated']))
    expect(new Set(rulesOf(false))).toEqual(new Set(['']))
  })

  test('shows the same size at every scale', () => {
    const project = makeProject({ scale: 0.5, sequences: [painting('hero/walk', { width: 20, height: 24 })] })
    const [rule] = readCss(toFolder(css, project), 'sprites@0.5x.css', 0.5).rules.values()
    expect([rule!.get('width'), rule!.get('height')]).toEqual(['40px', '48px'])
    expect(rule!.get('background')).toBe('url("sprites-0%400.5x.png") no-repeat')
  })

  test('a name in a selector cannot end it', () => {
    const text = toFolder(css, makeProject({ sequences: [painting('a"]{}/walk', { count: 1 })] })).text('sprites.css')
    expect(text).toContain('[data-frame="a\\22 ]{}/walk/0000"]')
    expect(text).toContain('@keyframes sprite-a-----walk {')
  })
})
