/**
 * Names that PHP runs, where a site's rules give them to PHP; without rules
 * only `.php`. A short list, so that an image or a text never runs
 * whatever a rule says: FPM itself refuses every other name.
 */
export const PHP_EXTENSIONS: readonly string[] = [
  ...['.php', '.php3', '.php4', '.php5', '.php7', '.php8', '.phtml'],
  ...['.html', '.htm', '.shtml', '.xhtml'],
]
