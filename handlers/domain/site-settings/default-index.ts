/** Files looked for in a directory, in this order. */
export const DEFAULT_INDEX = ['index.php', 'index.html', 'index.htm']
