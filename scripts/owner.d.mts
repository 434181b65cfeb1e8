type Texts = Readonly<Record<'package.json' | 'README.md' | 'SECURITY.md', string>>
interface Owner {
  readonly repository: string
  readonly rawFiles: string
  readonly security: string
}

/** What is missing in owner.json, or not as it should be. */
export function ownerProblems(owner: Owner): string[]

/** The texts with the addresses of the owner. Without an address, a text keeps what it has. */
export function withOwner(texts: Texts, owner: Owner): Texts
