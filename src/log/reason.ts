/** Why the operating system refused something. */

/** The operating system's short reason: `ENOENT`, `EACCES`, … or the message where there is no code. */
export function reasonOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.message : String(error);
}
