import type { Role } from '$lib/api/types'

export type SettingsTab =
  | 'you'
  | 'sessions'
  | 'tokens'
  | 'notifications'
  | 'plans'
  | 'users'
  | 'people'
  | 'resellers'
  | 'hosts'
  | 'audit'

/** The tabs of the settings that someone of `role` sees, in order. */
export const settingsTabs = (role: Role): readonly SettingsTab[] =>
  ({
    admin: [
      'you',
      'sessions',
      'tokens',
      'notifications',
      'plans',
      'users',
      'people',
      'resellers',
      'hosts',
      'audit',
    ] as const,
    reseller: ['you', 'sessions', 'tokens', 'notifications', 'audit'] as const,
    account: ['you', 'sessions', 'tokens', 'notifications'] as const,
  })[role]
