import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import type { PanelState } from '../../../protocol/protocol.ts'
import type { PanelModel, PanelStore } from './panel-store.ts'

/** The data that every part of the page may need. */
export interface Panel {
  readonly store: PanelStore
  readonly model: PanelModel
  readonly state: PanelState
}

/** The page provides it to its parts. */
export const PanelContext = createContext<Panel | undefined>(undefined)

/** The page's state and store, inside {@link PanelContext}. */
export function usePanel(): Panel {
  const panel = useContext(PanelContext)
  if (!panel) throw new Error('Expected a PanelContext around this part of the page.')
  return panel
}

/** Renders again when the store's model changes. */
export function useModel(store: PanelStore): PanelModel {
  const [model, setModel] = useState(store.model)
  useEffect(() => {
    setModel(store.model)
    return store.subscribe(() => setModel(store.model))
  }, [store])
  return model
}
