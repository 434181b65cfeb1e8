import type { VNode } from 'preact'
import type { PanelPaid } from '../protocol.ts'
import { usePanel } from './panel-context.ts'
import { creditsWords } from './words.ts'

/** What nobody can know, a person decides: whether something that was sent and never answered is sent again, or given up. */
export function DecisionForm({ paid }: { readonly paid: PanelPaid }): VNode | null {
  const { state, store } = usePanel()
  if (paid.standing !== 'uncertain') return null
  const most = paid.ceiling === undefined ? 'its ceiling' : `up to ${creditsWords(paid.ceiling)}`
  const decide = (decision: 'replay' | 'abandon'): void => void store.act('recover', { id: paid.id, decision })
  return (
    <div class="notice" data-tone="bad">
      <h2>Nobody knows whether this was bought</h2>
      <p>
        It was sent and never answered. Sending it again may pay twice ({most}); giving it up may lose what was paid, and counts as spent.
      </p>
      <div class="row">
        <button type="button" class="button" disabled={!state.access.mayBuy} onClick={() => decide('replay')}>
          Send it again
        </button>
        <button type="button" class="button" disabled={!state.access.mayAct} onClick={() => decide('abandon')}>
          Give it up
        </button>
      </div>
    </div>
  )
}
