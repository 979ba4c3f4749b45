/** Weight of a stem by how rare it is. Until word counts say more, figures and longer words weigh more. */
export function rarity(stem: string): number {
  return /\d/.test(stem) ? 2 : Math.min(2, 0.5 + stem.length / 6);
}
