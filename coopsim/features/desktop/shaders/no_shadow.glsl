// a program of its own where there is no shadow map: processors would look it up for nothing
float lit(vec4 seen) {
    return 1.0;
}
