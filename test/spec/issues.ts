import { expect } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import type { SpecIssue } from '../../src/sprite-spec/spec-file.ts'

/** The issues for which a text is refused. */
export function issuesOf(text: string, file = '/game/hero.sprite.json'): readonly SpecIssue[] {
  try {
    parseSpec(text, file)
  } catch (error) {
    expect(error).toBeInstanceOf(SpritewrightError)
    expect((error as SpritewrightError).code).toBe('SW_SPEC')
    expect((error as SpritewrightError).facts.file).toBe(file)
    return (error as SpritewrightError).facts.issues as SpecIssue[]
  }
  throw new Error('Expected the spec to be refused, found that it was taken.')
}

/** `line:column message` of each issue, for short assertions. */
export function linesOf(text: string, file?: string): string[] {
  return issuesOf(text, file).map(({ line, column, message }) => `${line}:${column} ${message}`)
}

/** JSON text of a spec with one animation `walk`. Fields in `over` replace the spec's own. */
export function specText(over: Readonly<Record<string, unknown>> = {}, walk: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ reference: 'hero.png', prompt: 'a knight', animations: { walk }, ...over })
}
