import type { BuiltPage } from '../../src/index.ts'

/** How many pages are kept that are shown no more. */
const keptPages = 64

/** The pages that a dev server gives out. */
export interface PageShelf {
  /** Puts all pages up that are shown now; those of long ago go. */
  put(pages: readonly BuiltPage[]): void
  find(sha256: string): BuiltPage | undefined
}

/** An empty shelf. @param kept How many pages are kept that are shown no more. @default 64: a game that was told of them may still be fetching */
export function createPageShelf(kept: number = keptPages): PageShelf {
  const pages = new Map<string, BuiltPage>()
  return {
    find: (sha256) => pages.get(sha256),
    put: (shown) => {
      for (const page of shown) {
        // A map keeps the order in which its keys came: the oldest go first.
        pages.delete(page.sha256)
        pages.set(page.sha256, page)
      }
      for (const sha256 of pages.keys()) {
        if (pages.size <= shown.length + kept) break
        pages.delete(sha256)
      }
    },
  }
}
