// Reads a line of JSON with markup and address, writes one with the markup of the main content, by the package of npm
// that is named last, as its documentation calls it.
import { createInterface } from 'node:readline';
import { JSDOM, VirtualConsole } from 'jsdom';

const readers = {
  '@mozilla/readability': async () => {
    const { Readability } = await import('@mozilla/readability');
    return (document) => new Readability(document).parse()?.content;
  },
  defuddle: async () => {
    const { Defuddle } = await import('defuddle/node');
    return async (document, url) => (await Defuddle(document, url)).content;
  },
};
console.log = console.error;
const read = await readers[process.argv.at(-1)]();
for await (const line of createInterface({ input: process.stdin })) {
  const [html, url] = JSON.parse(line);
  let answer;
  try {
    const { window } = new JSDOM(html, { url, virtualConsole: new VirtualConsole() });
    answer = { content: (await read(window.document, url)) ?? '' };
    window.close();
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
