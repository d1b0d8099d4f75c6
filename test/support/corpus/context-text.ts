/** The parts of a context message's text that are interface: heading, tags, data, omission array. Sentences are free. */

export interface ContextParts {
  readonly data: any[];
  readonly omissions: any[];
}

const FRAME =
  /^## Referenced sessions\n\n([^<]+)\n\n<referenced-sessions>\n([^\n]*)\n<\/referenced-sessions>(?:\n\n## Reference omissions\n\n([^\n<]+)\n(\[.*\]))?$/;

/** Takes a text apart; throws where a heading, a tag or a line is not where it must be. */
export function contextParts(text: string): ContextParts {
  const match = FRAME.exec(text);
  if (match === null)
    throw new Error(`not the frame of a context message: ${JSON.stringify(text.slice(0, 300))}`);
  const [, , data, , omissions] = match;
  if (data!.includes('<') || omissions?.includes('<') === true) throw new Error('the data can spell a tag');
  return { data: JSON.parse(data!), omissions: omissions === undefined ? [] : JSON.parse(omissions) };
}

/** The array between the tags in a text of the published packages. */
export function publishedData(text: string): any[] {
  const start = text.indexOf('<referenced-sessions>\n') + '<referenced-sessions>\n'.length;
  return JSON.parse(text.slice(start, text.indexOf('\n</referenced-sessions>')));
}
