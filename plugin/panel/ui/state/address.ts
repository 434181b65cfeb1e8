import { useEffect, useState } from 'preact/hooks'

/** The pages of the panel, with their names. */
export const views = { sprites: 'Sprites', wall: 'Wall', atlases: 'Atlases', ledger: 'Ledger', problems: 'Problems' } as const

type View = keyof typeof views

/** The open place. It is part of the address, so that a reload and the browser's buttons keep it. */
export interface Place {
  readonly view: View
  /** `hero.walk`, or `hero#2`. */
  readonly id?: string | undefined
}

/** The address of a place, relative to the page. */
export function addressOf({ view, id }: Place): string {
  const query = new URLSearchParams({ ...(view === 'sprites' ? {} : { view }), ...(id === undefined ? {} : { show: id }) }).toString()
  return query === '' ? '?' : `?${query}`
}

/** The current place of the page, and a function that opens another place. */
export function usePlaceInPage(): readonly [Place, (next: Place) => void] {
  const [place, setPlace] = useState(readPlace)
  useEffect(() => {
    const read = (): void => setPlace(readPlace())
    window.addEventListener('popstate', read)
    return () => window.removeEventListener('popstate', read)
  }, [])
  const go = (next: Place): void => {
    // Every history entry of this page keeps the token.
    history.pushState(history.state, '', addressOf(next))
    setPlace(next)
  }
  return [place, go]
}

function readPlace(): Place {
  const query = new URLSearchParams(location.search)
  const view = query.get('view') ?? ''
  return { view: Object.hasOwn(views, view) ? (view as View) : 'sprites', id: query.get('show') ?? undefined }
}
