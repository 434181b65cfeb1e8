/**
 * Takes the token out of the address that the terminal prints, and keeps it with this entry of the history: a reload still has it, and the address can be shown around.
 * Nowhere else: scripts of the game run on the same origin. Storage is theirs too, and `navigation.entries()` tells them the addresses that this tab has shown.
 *
 * @returns Answers the token, where this page has one. @param onNew Called when another one is pasted into the address.
 */
export function keepToken(onNew: () => void): () => string | undefined {
  let token = take() ?? kept()
  window.addEventListener('hashchange', () => {
    const next = take()
    if (next === undefined) return
    token = next
    onNew()
  })
  return () => token
}

function take(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token === null || token === '') return undefined
  history.replaceState({ token }, '', location.pathname + location.search)
  return token
}

function kept(): string | undefined {
  const token = (history.state as { token?: unknown } | null)?.token
  return typeof token === 'string' ? token : undefined
}
