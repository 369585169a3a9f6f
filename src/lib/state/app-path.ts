type Page =
  | '/'
  | '/accounts'
  | `/accounts/${string}`
  | '/domains'
  | `/domains/${number}/visitors`
  | '/ssl'
  | '/php'
  | '/files'
  | '/files/all'
  | '/databases'
  | '/databases/all'
  | '/backups'
  | '/backups/all'
  | '/backups/snapshots'
  | '/backups/snapshots/all'
  | '/backups/schedule'
  | '/backups/targets'
  | '/backups/imports'
  | '/wordpress'
  | '/applications'
  | `/applications/${string}/${string}`
  | '/cron'
  | '/mail'
  | '/cache'
  | `/cache/${string}`
  | '/logs'
  | '/logs/sftp'
  | '/system'
  | '/system#recovery'
  | '/notifications'
  | '/settings'
  | '/login'
  | '/setup'

/** A page of the panel, with or without a query. */
export type AppPath = Page | `${Page}?${string}`
