"""What the tests do with the clients of OXP; each function is one flow and returns what the caller saw."""


async def health(client):
    return await outcome(client.health())


async def tools(client):
    return await outcome(client.tools())


async def call(client, request):
    return await outcome(client.call(**request))


async def calls(client, requests):
    """One after the other, by name."""
    return {name: await outcome(client.call(**request)) for name, request in requests.items()}


async def outcome(asked):
    """What came back, or what a caller can branch on."""
    try:
        return await asked
    except Exception as error:
        response = getattr(error, "response", None)
        facts = {"status": response.status_code, "body": response.json()} if response is not None else {"text": str(error)}
        return {"error": type(error).__name__, **facts}
