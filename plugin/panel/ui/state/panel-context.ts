import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import type { PanelAnimation, PanelSprite, PanelState } from '../../../protocol/protocol.ts'
import type { Place } from './address.ts'
import type { PanelModel, PanelStore } from './panel-store.ts'
import type { ViewSettings } from './view-settings.ts'

/** The data that every part of the page may need. */
export interface Panel {
  readonly store: PanelStore
  readonly model: PanelModel
  readonly state: PanelState
  readonly settings: ViewSettings
  readonly changeSettings: (change: Partial<ViewSettings>) => void
  /** Asks for an approval of these requests. */
  readonly approve: (ids: readonly string[]) => void
}

/** An animation and its sprite. */
export interface Shown {
  readonly sprite: PanelSprite
  readonly animation: PanelAnimation
}

/** The page provides it to its parts. */
export const PanelContext = createContext<Panel | undefined>(undefined)

/** Opens a place of this page. It is never another function, so it renders no line of a long list again. */
export const GoContext = createContext<(place: Place) => void>(() => undefined)

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
