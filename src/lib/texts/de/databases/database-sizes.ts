import type { databaseSizes as english } from '../../en/databases/database-sizes.ts'

/** Texte der Größe einer Datenbank im Lauf der Zeit. */
export const databaseSizes: typeof english = {
  title: 'Größe im Lauf der Zeit',
  size: 'Größe',
  soon: 'Die Größe wird einmal am Tag notiert. Nach zwei Tagen steht hier ein Diagramm.',
}
