/** Variables by which nobody's settings of git count. */
export const OWN_SETTINGS: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ASKPASS: '/bin/false',
}

/** Options by which git runs nothing of a repository's, and takes nothing that is broken. */
export const CHECKED: readonly string[] = [
  ...['-c', 'core.hooksPath=/dev/null', '-c', 'transfer.fsckObjects=true'],
]

export const GIT = '/usr/bin/git'
