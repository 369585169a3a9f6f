import type { PanelGlobal } from '$lib/server/panel-global'
import type { Theme } from '$lib/state/theme'
import type { Language } from '$lib/texts/languages'

declare global {
  namespace App {
    interface Locals {
      /** The panel's API, composed by the panel process. */
      panel: PanelGlobal
      theme: Theme
      language: Language
      /** IANA name of the zone in which times are shown. */
      timeZone: string
    }
    interface Error {
      message: string
    }
    interface PageState {
      /** Set where a dialog is open, so that going back closes it. */
      dialog?: string
    }
  }
}

export {}
