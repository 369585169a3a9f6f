import type { MessageData, MessageKey } from './notification-kinds.ts'

const word = (data: MessageData, name: string): string =>
  encodeURIComponent(String(data[name] ?? ''))

/** The path of the panel's screen that helps; a person of role account has one account only. */
export const linkOf = (message: MessageKey, data: MessageData): string => {
  const account = data['account_id'] === undefined ? '' : `?account=${word(data, 'account_id')}`
  switch (message) {
    case 'certificate.failed':
    case 'certificate.expiring':
    case 'certificate.expiring_10':
    case 'certificate.expiring_3':
    case 'certificate.expired':
      return `/ssl?q=${word(data, 'domain')}`
    case 'backup.failed':
    case 'backup.overdue':
    case 'backup.doubtful':
      return `/backups${account}`
    case 'quota.disk_80':
    case 'quota.disk_95':
    case 'quota.disk_full':
    case 'quota.bandwidth_80':
    case 'quota.bandwidth_95':
    case 'quota.bandwidth_full':
    case 'quota.memory':
      return `/accounts/${word(data, 'username')}`
    case 'disk.low':
    case 'disk.full':
    case 'disk.read_only':
    case 'update.available':
    case 'update.security':
    case 'mail.relay':
    case 'machine.service':
      return '/system'
    case 'machine.away':
    case 'machine.back':
    case 'machine.certificate':
      return '/settings?tab=hosts'
    case 'job.failed':
      return '/'
    case 'cron.failed':
      return `/cron${account}`
    case 'login.new_place':
      return '/settings?tab=sessions'
    case 'security.token_made':
      return '/settings?tab=tokens'
    case 'security.password_changed':
    case 'security.password_set':
    case 'security.passkey_added':
    case 'security.second_factor_off':
    case 'security.second_factor_taken':
      return '/settings'
  }
}
