import { render } from 'preact'
import { createApi } from './state/api.ts'
import { createStore, type PanelStore } from './state/panel-store.ts'
import { App } from './views/app.tsx'
import './styles/base.css'
import './styles/controls.css'
import './styles/layout.css'
import './styles/list.css'
import './styles/preview.css'
import './styles/overview.css'
import './styles/pages.css'
import { keepToken } from './state/api.ts'

const tokenOf = keepToken(() => void store.refresh())
const store: PanelStore = createStore(createApi(tokenOf))
const place = document.getElementById('panel')
if (place) render(<App store={store} />, place)
