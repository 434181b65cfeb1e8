import type { VNode } from 'preact'
import { Button } from '../controls/button.tsx'
import { usePanel } from '../state/panel-context.ts'
import { creditsWords, timeWords } from '../state/words.ts'

/** What programs ask the person to decide. Nothing if nothing is asked. */
export function RequestList(): VNode {
  const { state, store, approve } = usePanel()
  return (
    <>
      {state.requests.map(({ id, verb, names, credits, why, from, at }) => (
        <section key={id} class="notice spread" data-tone="warn" aria-label="Request to you">
          <p class="grow">
            <strong>{[verb, ...names].join(' ')}</strong>
            {credits === undefined ? '' : `, about ${creditsWords(credits)}`}: “{why}”
            <span class="soft small">
              {from === 'mcp' ? ' A tool of an agent' : ' The shell of an agent'}, {timeWords(at)}
            </span>
          </p>
          {verb === 'approve' && <Button label="Approve…" disabled={!state.access.mayBuy} onClick={() => approve(names)} />}
          <Button label="Dismiss" look="quiet" disabled={!state.access.mayAct} onClick={() => void store.act('dismiss', { id })} />
        </section>
      ))}
    </>
  )
}
