import type { Role } from '$lib/api/types'

export type SettingsTab = 'you' | 'sessions' | 'tokens' | 'plans' | 'users' | 'audit'

/** The tabs of the settings that someone of `role` sees, in order. */
export const settingsTabs = (role: Role): readonly SettingsTab[] =>
  role === 'admin'
    ? ['you', 'sessions', 'tokens', 'plans', 'users', 'audit']
    : ['you', 'sessions', 'tokens']
