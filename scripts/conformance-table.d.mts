/** A test whose name has clauses. */
export interface NamedTest {
  readonly side: 'client' | 'embedded service'
  readonly file: string
  readonly title: string
  readonly clauses: readonly string[]
}

/** The data for the table. */
export interface Known {
  readonly clauses: readonly { readonly id: string; readonly title: string; readonly without?: string }[]
  readonly checks: readonly { readonly clause: string; readonly title: string }[]
  readonly tests: readonly NamedTest[]
}

export function readNamedTests(root: string): NamedTest[]
export function conformanceTable(known: Known): { readonly markdown: string; readonly gaps: readonly string[] }
