export const THEMES = ['system', 'light', 'dark'] as const

/** `system` follows the operating system. */
export type Theme = (typeof THEMES)[number]

export const THEME_COOKIE = 'berth_theme'

/** The theme named by a cookie; anything unknown is `system`. */
export const parseTheme = (value: string | undefined): Theme =>
  THEMES.find((theme) => theme === value) ?? 'system'

/** Shows `theme` at once and keeps it for a year. */
export const applyTheme = (theme: Theme): void => {
  document.documentElement.dataset['theme'] = theme
  document.cookie = `${THEME_COOKIE}=${theme}; Path=/; Max-Age=31536000; SameSite=Strict`
}
