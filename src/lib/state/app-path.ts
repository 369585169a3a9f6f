type Page =
  | '/'
  | '/accounts'
  | '/domains'
  | '/ssl'
  | '/php'
  | '/files'
  | '/databases'
  | '/backups'
  | '/cache'
  | `/cache/${string}`
  | '/logs'
  | '/system'
  | '/settings'
  | '/login'
  | '/setup'

/** A page of the panel, with or without a query. */
export type AppPath = Page | `${Page}?${string}`
