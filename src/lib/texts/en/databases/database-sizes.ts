/** Texts of the sizes of a database over time. */
export const databaseSizes = {
  title: 'Size over time',
  size: 'Size',
  soon: 'The size is noted once a day. A chart is here after two days.',
}
