import { render } from 'preact'
import { createApi, keepToken } from './state/api.ts'
import { createStore, type PanelStore } from './state/panel-store.ts'
import { App } from './views/app.tsx'
import './styles/base.css'
import './styles/controls.css'
import './styles/layout.css'
import './styles/list.css'
import './styles/preview.css'
import './styles/pages.css'
import { removeWorkers } from './state/workers.ts'

const place = document.getElementById('panel')
if (!place) throw new Error('Expected an element for the panel.')
if (await removeWorkers())
  place.textContent =
    'An earlier server on this port has left a service worker in your browser. It may have read the token, so this page does nothing. End vite and start it again, then open the new address.'
else {
  const tokenOf = keepToken(() => void store.refresh())
  const store: PanelStore = createStore(createApi(tokenOf))
  render(<App store={store} />, place)
}
