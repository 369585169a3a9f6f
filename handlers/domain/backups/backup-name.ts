/** `<username>-<YYYYMMDD>-<HHMMSS>.tar.gz`, UTC. Usernames hold no hyphen, so a name belongs to exactly one. */
export const BACKUP_NAME = /^[a-z0-9]{3,16}-\d{8}-\d{6}\.tar\.gz$/

/** Name of a backup of `username` that is made at `ms`. */
export const backupName = (username: string, ms: number): string => {
  const digits = new Date(ms).toISOString().replace(/\D/g, '')
  return `${username}-${digits.slice(0, 8)}-${digits.slice(8, 14)}.tar.gz`
}
