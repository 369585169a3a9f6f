type Page =
  | '/'
  | '/accounts'
  | '/domains'
  | '/ssl'
  | '/php'
  | '/files'
  | '/databases'
  | '/system'
  | '/login'
  | '/setup'

/** A page of the panel, with or without a query. */
export type AppPath = Page | `${Page}?${string}`
