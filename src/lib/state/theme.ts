/** `system` follows the operating system. */
export type Theme = 'system' | 'light' | 'dark'

export const THEME_COOKIE = 'berth_theme'

const THEMES: readonly string[] = ['system', 'light', 'dark']

/** The theme named by a cookie; anything unknown is `system`. */
export const parseTheme = (value: string | undefined): Theme =>
  value !== undefined && THEMES.includes(value) ? (value as Theme) : 'system'

/** Shows `theme` at once and keeps it for a year. */
export const applyTheme = (theme: Theme): void => {
  document.documentElement.dataset['theme'] = theme
  document.cookie = `${THEME_COOKIE}=${theme}; Path=/; Max-Age=31536000; SameSite=Strict`
}
